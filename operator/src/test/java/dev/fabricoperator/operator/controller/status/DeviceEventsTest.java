/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.DevicePlan;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import dev.fabricoperator.operator.model.condition.ConditionType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DeviceEventsTest {
    private final List<Condition> told = new ArrayList<>();
    private boolean away;

    @Test
    void whatAFailedPassDidNotTellIsToldByTheNext() {
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            DeviceEvents events = new DeviceEvents(new EventWriter(client, Clock.systemUTC()) {
                @Override
                public void transitions(HasMetadata object, List<Condition> turned) {
                    if (away) {
                        throw new IllegalStateException("a defect");
                    }
                    told.addAll(turned);
                }
            });
            events.report(model(ConditionStatus.True));
            assertThat(told).isEmpty();
            away = true;
            assertThat(catchThrowable(() -> events.report(model(ConditionStatus.False))))
                    .isInstanceOf(IllegalStateException.class);
            away = false;
            events.report(model(ConditionStatus.False));
            assertThat(told).singleElement().extracting(Condition::status).isEqualTo(ConditionStatus.False);
            events.report(model(ConditionStatus.False));
            assertThat(told).hasSize(1);
        }
    }

    private static ClusterModel model(ConditionStatus readable) {
        FabricDevice object = new FabricDevice();
        object.setMetadata(
                new ObjectMetaBuilder().withName("n1-mlx5-0-1").withUid("u").build());
        object.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n1")
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://1")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .build());
        FactStores stores = new FactStores(SteadyClock.system());
        stores.devices().put("n1-mlx5-0-1", object);
        DeviceFacts facts = stores.devices().facts().getFirst();
        DevicePlan plan = new DevicePlan(
                facts,
                FabricDeviceStatusBuilder.builder()
                        .conditions(List.of(new Condition(
                                ConditionType.HostReadable.name(), readable, null, "2026-01-01T00:00:00Z", "R", "m")))
                        .build());
        return new ClusterModel(
                Inventory.of(stores, List.of()),
                new TreeMap<>(),
                new TreeMap<>(),
                Map.of(),
                Map.of(facts.name(), plan),
                Map.of(),
                Map.of(),
                new FlapDamping.History(new TreeMap<>(), Map.of(), Map.of(), Map.of(), 0, 0),
                FabricNumbers.START,
                new MissingFabrics(List.of(), FabricNumbers.START));
    }
}
