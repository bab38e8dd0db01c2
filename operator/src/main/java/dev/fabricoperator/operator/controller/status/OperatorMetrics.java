/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.ImpairedPorts;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What Prometheus sees. */
@Singleton
public class OperatorMetrics {
    private final Timer pass;
    private final Counter failures;
    private final Gauges devices;
    private final Gauges readErrors;
    private final Gauges generation;
    private final Gauges dampedPorts;
    private final Gauges impairedPorts;
    private final Gauges failed;
    private final Gauges conditions;
    private final Gauges sourceErrors;

    public OperatorMetrics(MeterRegistry registry) {
        pass = Timer.builder("fabric_operator_model_pass")
                .description("Time from looking at the inventory to a published model")
                .register(registry);
        failures = Counter.builder("fabric_operator_model_pass_failures")
                .description("Passes that ended with an unexpected error; the last good model stays")
                .register(registry);
        devices = gauge(registry, "fabric_operator_fabric_devices", "Devices of a Fabric", "fabric");
        readErrors = gauge(
                registry,
                "fabric_operator_devices_with_read_errors",
                "Devices whose host could not be read completely",
                "fabric");
        generation = gauge(registry, "fabric_operator_fabric_generation", "Generation of a Fabric", "fabric");
        dampedPorts =
                gauge(registry, "fabric_operator_damped_ports", "Ports of flapping links that count as down", "fabric");
        impairedPorts = gauge(
                registry,
                "fabric_operator_impaired_ports",
                "Ports whose links may be about to fail, by what their hosts count and measure",
                "fabric");
        failed = gauge(
                registry, "fabric_operator_fabric_failed", "1 where a Fabric cannot be modelled: a defect", "fabric");
        conditions = gauge(
                registry,
                "fabric_operator_fabric_condition",
                "1 for the status that a condition of a Fabric has, 0 for the others",
                "fabric",
                "type",
                "status");
        sourceErrors =
                gauge(registry, "fabric_operator_source_error", "1 where a topology source cannot be read", "source");
    }

    private static Gauges gauge(MeterRegistry registry, String name, String description, String... labels) {
        return new Gauges(MultiGauge.builder(name).description(description).register(registry), List.of(labels));
    }

    /** Gauges of one name, which differ in the values of its labels. */
    private record Gauges(MultiGauge meters, List<String> labels) {
        Row<?> row(Number value, String... of) {
            List<Tag> tags = new ArrayList<>();
            for (int i = 0; i < of.length; i++) {
                tags.add(Tag.of(labels.get(i), of[i]));
            }
            return Row.of(Tags.of(tags), value);
        }

        List<Row<?>> rows(ClusterModel model, ToDoubleFunction<FabricState> value) {
            List<Row<?>> rows = new ArrayList<>();
            model.fabrics().forEach((name, state) -> rows.add(row(value.applyAsDouble(state), name)));
            return rows;
        }

        void show(List<Row<?>> rows) {
            meters.register(rows, true);
        }
    }

    public void timePass(Runnable work) {
        pass.record(work);
    }

    public void passFailed() {
        failures.increment();
    }

    public void show(ClusterModel model) {
        devices.show(devices.rows(model, state -> state.members().size()));
        dampedPorts.show(dampedPorts.rows(model, state -> state.damped().size()));
        impairedPorts.show(impairedPorts.rows(model, ImpairedPorts::count));
        generation.show(generation.rows(model, FabricState::generation));
        readErrors.show(readErrors.rows(
                model,
                state -> state.members().values().stream()
                        .filter(d -> !d.readErrors().isEmpty())
                        .count()));
        // Not only where it is 1: an alert that has ended shall be told from a controller that is away.
        List<Row<?>> defects = failed.rows(model, state -> 0);
        model.failed().keySet().forEach(name -> defects.add(failed.row(1, name)));
        failed.show(defects);
        conditions.show(conditions(model));
        List<Row<?>> sources = new ArrayList<>();
        for (SourceState source : model.inventory().sources()) {
            sources.add(sourceErrors.row(source.problem() == null ? 0 : 1, source.name()));
        }
        sourceErrors.show(sources);
    }

    private List<Row<?>> conditions(ClusterModel model) {
        List<Row<?>> rows = new ArrayList<>();
        model.findings().forEach((fabric, findings) -> {
            for (ConditionDraft condition : findings.drafts()) {
                for (ConditionStatus status : ConditionStatus.values()) {
                    rows.add(conditions.row(
                            condition.status() == status ? 1 : 0,
                            fabric,
                            condition.type().name(),
                            status.name()));
                }
            }
        });
        return rows;
    }
}
