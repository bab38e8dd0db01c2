/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.SourceState;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
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
    private final MultiGauge devices;
    private final MultiGauge readErrors;
    private final MultiGauge generation;
    private final MultiGauge dampedPorts;
    private final MultiGauge failed;
    private final MultiGauge conditions;
    private final MultiGauge sourceErrors;

    public OperatorMetrics(MeterRegistry registry) {
        pass = Timer.builder("fabric_operator_model_pass")
                .description("Time from looking at the inventory to a published model")
                .register(registry);
        failures = Counter.builder("fabric_operator_model_pass_failures")
                .description("Passes that ended with an unexpected error; the last good model stays")
                .register(registry);
        devices = gauge(registry, "fabric_operator_fabric_devices", "Devices of a Fabric");
        readErrors = gauge(
                registry,
                "fabric_operator_devices_with_read_errors",
                "Devices whose host could not be read completely");
        generation = gauge(registry, "fabric_operator_fabric_generation", "Generation of a Fabric");
        dampedPorts = gauge(registry, "fabric_operator_damped_ports", "Ports of flapping links that count as down");
        failed = gauge(registry, "fabric_operator_fabric_failed", "1 where a Fabric cannot be modelled: a defect");
        conditions = gauge(
                registry,
                "fabric_operator_fabric_condition",
                "1 for the status that a condition of a Fabric has, 0 for the others");
        sourceErrors = gauge(registry, "fabric_operator_source_error", "1 where a topology source cannot be read");
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    public void timePass(Runnable work) {
        pass.record(work);
    }

    public void passFailed() {
        failures.increment();
    }

    public void show(ClusterModel model) {
        devices.register(rows(model, state -> state.members().size()), true);
        dampedPorts.register(rows(model, state -> state.damped().size()), true);
        generation.register(rows(model, FabricState::generation), true);
        readErrors.register(
                rows(
                        model,
                        state -> state.members().values().stream()
                                .filter(d -> !d.readErrors().isEmpty())
                                .count()),
                true);
        // Not only where it is 1: an alert that has ended shall be told from a controller that is away.
        List<Row<?>> defects = rows(model, state -> 0);
        model.failed().keySet().forEach(name -> defects.add(Row.of(Tags.of("fabric", name), 1)));
        failed.register(defects, true);
        conditions.register(conditions(model), true);
        List<Row<?>> sources = new ArrayList<>();
        for (SourceState source : model.inventory().sources()) {
            sources.add(Row.of(Tags.of("source", source.name()), source.problem() == null ? 0 : 1));
        }
        sourceErrors.register(sources, true);
    }

    private static List<Row<?>> conditions(ClusterModel model) {
        List<Row<?>> rows = new ArrayList<>();
        model.findings().forEach((fabric, findings) -> {
            for (ConditionDraft condition : findings.drafts()) {
                for (ConditionStatus status : ConditionStatus.values()) {
                    rows.add(Row.of(
                            Tags.of("fabric", fabric, "type", condition.type().name(), "status", status.name()),
                            condition.status() == status ? 1 : 0));
                }
            }
        });
        return rows;
    }

    private static List<Row<?>> rows(ClusterModel model, ToDoubleFunction<FabricState> value) {
        List<Row<?>> rows = new ArrayList<>();
        model.fabrics().forEach((name, state) -> rows.add(Row.of(Tags.of("fabric", name), value.applyAsDouble(state))));
        return rows;
    }
}
