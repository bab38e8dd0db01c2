/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.DeviceSelectorBuilder;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.SwitchMerge;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
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

    private final FactStores stores = new FactStores(SteadyClock.system());

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

    private void publishOfOneNode(int count) {
        for (int number = 0; number < count; number++) {
            FabricDevice device = new FabricDevice();
            device.setMetadata(new ObjectMetaBuilder()
                    .withName("taken-" + number)
                    .withUid("taken" + number)
                    .withResourceVersion("1")
                    .withCreationTimestamp("2026-01-01T00:00:00Z")
                    .build());
            device.setSpec(FabricDeviceSpecBuilder.builder()
                    .nodeName("taken")
                    .hostname("taken")
                    .osName("mlx5_" + number)
                    .port(1)
                    .deviceId("taken/" + number)
                    .type(DeviceType.OpenFabrics)
                    .family(Family.RoCE)
                    .role(Role.Fabric)
                    .vendor("Mellanox")
                    .ipAddresses(List.of("10." + (2 + number / 256) + "." + number % 256 + ".1/24"))
                    .build());
            stores.devices().put(device.getMetadata().getName(), device);
        }
    }

    /** Whoever has the token of one node's agent. */
    @Test
    void theDevicesOfOneNodeMakeNoMoreFabricsThanOneNodeHasCards() {
        publishOfOneNode(16_000);
        Membership.Result result = decide(new CountedDefects());

        assertThat(result.created()).hasSize(SUBNETS + NodeLimits.FABRICS_OF_NODE);
        assertThat(result.leftOut()).hasSize(16_000 - NodeLimits.FABRICS_OF_NODE);
        assertThat(result.leftOut().values().stream().filter(why -> why == Membership.LeftOut.DeviceOfNode))
                .hasSize(16_000 - NodeLimits.DEVICES);
        assertThat(result.leftOut().keySet()).allMatch(device -> device.startsWith("taken-"));
    }

    private void make(String name, Family family, @Nullable String node) {
        ObjectMetaBuilder metadata = new ObjectMetaBuilder()
                .withName(name)
                .withUid(name)
                .withResourceVersion("1")
                .addToLabels(FabricApi.LABEL_AUTO_CREATED, "true");
        if (node != null) {
            metadata.addToLabels(FabricApi.LABEL_MADE_FOR_NODE, node);
        }
        Fabric fabric = new Fabric();
        fabric.setMetadata(metadata.build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .selector(DeviceSelectorBuilder.builder()
                        .families(List.of(family))
                        .build())
                .build());
        stores.fabrics().put(name, fabric);
    }

    @Test
    void fabricsThatTheDevicesOfANodeHaveLeftAreStillThatNodes() {
        publishOfOneNode(NodeLimits.FABRICS_OF_NODE);
        assertThat(decide(new CountedDefects()).created().stream().filter(made -> "taken".equals(made.madeForNode())))
                .hasSize(NodeLimits.FABRICS_OF_NODE);
        for (int number = 0; number < NodeLimits.FABRICS_OF_NODE; number++) {
            make("old-" + number, Family.Slingshot, "taken");
        }

        Membership.Result result = decide(new CountedDefects());

        assertThat(result.created())
                .hasSize(SUBNETS)
                .allSatisfy(made -> assertThat(made.madeForNode()).isNull());
        assertThat(result.leftOut())
                .hasSize(NodeLimits.FABRICS_OF_NODE)
                .allSatisfy((device, why) -> assertThat(why).isEqualTo(Membership.LeftOut.FabricOfNode));
    }

    @Test
    void howeverManyFabricsNodesMakeOfTheirOwnThoseOfSeveralNodesAreMade() {
        publishOfOneNode(1);
        for (int number = 0; number < NodeLimits.FABRICS - NodeLimits.SHARED_FABRICS; number++) {
            make("old-" + number, Family.Slingshot, "node" + number / NodeLimits.FABRICS_OF_NODE);
        }

        Membership.Result result = decide(new CountedDefects());

        assertThat(result.created()).hasSize(SUBNETS);
        assertThat(result.leftOut()).isEqualTo(Map.of("taken-0", Membership.LeftOut.Fabric));
    }

    @Test
    void aDeviceThatIsInAFabricDoesNotLeaveItForOthersOfItsNode() {
        publishOfOneNode(NodeLimits.DEVICES);
        List<DeviceFacts> before = stores.devices().facts();
        publishOfOneNode(NodeLimits.DEVICES + 10);
        DeviceFacts last = before.stream()
                .filter(device -> device.name().equals("taken-" + (NodeLimits.DEVICES - 1)))
                .findFirst()
                .orElseThrow();
        NodeLimits limits =
                new NodeLimits(stores.devices().facts(), device -> device.name().equals(last.name()));

        assertThat(limits.isBeyond(last)).isFalse();
        assertThat(stores.devices().facts().stream().filter(limits::isBeyond)).hasSize(10);
    }

    @Test
    void noMoreFabricsAreMadeWithoutAPersonThanThereMayBe() {
        for (int number = 0; number < NodeLimits.FABRICS; number++) {
            Fabric fabric = new Fabric();
            fabric.setMetadata(new ObjectMetaBuilder()
                    .withName("roce-" + number)
                    .withUid("roce-" + number)
                    .withResourceVersion("1")
                    .addToLabels(FabricApi.LABEL_AUTO_CREATED, "true")
                    .build());
            fabric.setSpec(FabricSpecBuilder.builder()
                    .selector(DeviceSelectorBuilder.builder()
                            .families(List.of(Family.Slingshot))
                            .build())
                    .build());
            stores.fabrics().put("roce-" + number, fabric);
        }
        Membership.Result result = decide(new CountedDefects());

        assertThat(result.created()).isEmpty();
        assertThat(result.leftOut())
                .hasSize(SUBNETS * DEVICES)
                .allSatisfy((device, why) -> assertThat(why).isEqualTo(Membership.LeftOut.Fabric));
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
