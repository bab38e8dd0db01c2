/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.Findings;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import dev.fabricoperator.operator.model.SourceReport;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OperatorMetricsTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final OperatorMetrics metrics = new OperatorMetrics(registry);

    @Test
    void aConditionIsOneForItsStatusAndZeroForTheOthers() {
        metrics.show(model(ConditionStatus.False));
        assertThat(connected("False")).isEqualTo(1);
        assertThat(connected("True")).isZero();
        assertThat(connected("Unknown")).isZero();

        metrics.show(model(ConditionStatus.True));
        assertThat(connected("False")).isZero();
        assertThat(connected("True")).isEqualTo(1);
    }

    @Test
    void aFabricThatIsGoneHasNoConditions() {
        metrics.show(model(ConditionStatus.False));
        metrics.show(model(Map.of()));
        assertThat(registry.find("fabric_operator_fabric_condition").gauges()).isEmpty();
    }

    private double connected(String status) {
        Gauge gauge = registry.get("fabric_operator_fabric_condition")
                .tags("fabric", "rails", "type", "Connected", "status", status)
                .gauge();
        return gauge.value();
    }

    private static ClusterModel model(ConditionStatus connected) {
        return model(Map.of(
                "rails",
                new Findings(
                        List.of(new ConditionDraft(ConditionType.Connected, connected, Reason.AllCurrent, "m")),
                        List.of(),
                        0,
                        new SourceReport(List.of(), null, List.of()))));
    }

    private static ClusterModel model(Map<String, Findings> findings) {
        return new ClusterModel(
                Inventory.of(new FactStores(SteadyClock.system()), List.of()),
                new TreeMap<>(),
                new TreeMap<>(),
                Map.of(),
                Map.of(),
                Map.of(),
                findings,
                new FlapDamping.History(new TreeMap<>(), Map.of(), Map.of(), Map.of(), 0, 0),
                FabricNumbers.START,
                new MissingFabrics(List.of(), FabricNumbers.START));
    }
}
