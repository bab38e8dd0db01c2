/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.mapping.EndClaims;
import dev.fabricoperator.crds.mapping.SwitchMerge;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** RoCE with a subnet below each leaf and rail, and no source that knows a cable. */
class MembershipTest {
    private static final int SUBNETS = 100;
    private static final int DEVICES = 20;

    private final FactStores stores = new FactStores(Clock.systemUTC());

    /** Each question about a Fabric asks here first. */
    private static final class CountedDefects extends TreeMap<String, RuntimeException> {
        private static final long serialVersionUID = 1;
        private int questions;

        @Override
        public boolean containsKey(@Nullable Object fabric) {
            questions++;
            return super.containsKey(fabric);
        }
    }

    MembershipTest() {
        for (int subnet = 0; subnet < SUBNETS; subnet++) {
            for (int number = 0; number < DEVICES; number++) {
                FabricDevice device = new FabricDevice();
                String node = "n" + subnet / 8 + "-" + number;
                device.setMetadata(new ObjectMetaBuilder()
                        .withName(node + "-" + subnet)
                        .withUid(node + subnet)
                        .withResourceVersion("1")
                        .build());
                device.setSpec(FabricDeviceSpecBuilder.builder()
                        .nodeName(node)
                        .hostname(node)
                        .osName("mlx5_" + subnet % 8)
                        .port(1)
                        .deviceId(node + "/" + subnet)
                        .type(DeviceType.OpenFabrics)
                        .family(Family.RoCE)
                        .role(Role.Fabric)
                        .vendor("Mellanox")
                        .ipAddresses(List.of("10.1." + subnet + "." + (number + 1) + "/24"))
                        .build());
                stores.devices().put(device.getMetadata().getName(), device);
            }
        }
    }

    private Membership.Result decide(CountedDefects defects) {
        Inventory inventory = Inventory.of(stores, List.of());
        ConnectedParts parts = new ConnectedParts(
                SwitchMerge.merge(inventory.switches()), new EndClaims(inventory.devices()), Map.of());
        return Membership.decide(inventory, parts, device -> null, FabricNumbers.START, defects);
    }

    @Test
    void whereEachLeafHasASubnetNoFabricIsAskedAboutEachDevice() {
        CountedDefects defects = new CountedDefects();
        List<NewFabric> created = decide(defects).created();

        assertThat(created).hasSize(SUBNETS);
        assertThat(defects.questions).as("no Fabric waits for devices").isZero();

        for (NewFabric one : created) {
            Fabric fabric = new Fabric();
            fabric.setMetadata(new ObjectMetaBuilder()
                    .withName(one.name())
                    .withUid(one.name())
                    .withResourceVersion("1")
                    .addToLabels(FabricApi.LABEL_AUTO_CREATED, "true")
                    .build());
            fabric.setSpec(one.spec());
            stores.fabrics().put(one.name(), fabric);
        }
        Membership.Result result = decide(defects);

        Map<String, Integer> members = new HashMap<>();
        result.fabricOf().values().forEach(fabric -> members.merge(fabric, 1, Integer::sum));
        assertThat(members)
                .hasSize(SUBNETS)
                .allSatisfy((fabric, count) -> assertThat(count).isEqualTo(DEVICES));
        assertThat(defects.questions)
                .as("of each subnet once, until the Fabric is found")
                .isLessThanOrEqualTo(SUBNETS * SUBNETS);
    }
}
