/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.DeviceSelector;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.SwitchMerge;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is no part of a fabric by itself: RDMA that the kernel does, and ports that manage the switches of their host. */
class CandidatesTest {
    private final FactStores stores = new FactStores(SteadyClock.system());
    private int versions;

    private void device(String osName, Family family, Function function, Role role) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName("n1-" + osName)
                .withUid(osName)
                .withResourceVersion("1")
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n1")
                .hostname("n1")
                .osName(osName)
                .port(1)
                .deviceId("n1/" + osName)
                .type(DeviceType.OpenFabrics)
                .family(family)
                .function(function)
                .role(role)
                .gids(List.of("fe80:0000:0000:0000:0000:0000:0000:00d1"))
                .build());
        stores.devices().put(device.getMetadata().getName(), device);
    }

    private void fabric(String name, boolean autoCreated, @Nullable Purpose purpose, Family... families) {
        Fabric fabric = new Fabric();
        ObjectMetaBuilder metadata =
                new ObjectMetaBuilder().withName(name).withUid(name).withResourceVersion("1");
        fabric.setMetadata(
                (autoCreated ? metadata.addToLabels(FabricApi.LABEL_AUTO_CREATED, "true") : metadata).build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .purpose(purpose)
                .selector(new DeviceSelector(List.of(), List.of(families), List.of(), null))
                .build());
        stores.fabrics().put(name, fabric);
    }

    private Membership.Result decide(Map<String, String> present) {
        Inventory inventory = Inventory.of(stores, List.of());
        ConnectedParts parts = new ConnectedParts(
                SwitchMerge.merge(inventory.switches()), new EndClaims(inventory.devices()), Map.of());
        return Membership.decide(
                inventory, parts, device -> present.get(device.name()), FabricNumbers.START, new TreeMap<>());
    }

    @Test
    void softwareMakesNoFabricAndJoinsNone() {
        device("rxe0", Family.RoCE, Function.Software, Role.Unknown);
        fabric("open", false, null);
        fabric("roce-0", true, null, Family.RoCE);
        Membership.Result result = decide(Map.of());
        assertThat(result.created()).isEmpty();
        assertThat(result.fabricOf()).isEmpty();
    }

    @Test
    void softwareLeavesAFabricThatTheOperatorMadeForIt() {
        device("rxe0", Family.RoCE, Function.Software, Role.Unknown);
        device("mlx5_0", Family.RoCE, Function.Physical, Role.Fabric);
        fabric("roce-0", true, null, Family.RoCE);
        Map<String, String> before = Map.of("n1-rxe0", "roce-0", "n1-mlx5_0", "roce-0");
        assertThat(decide(before).fabricOf()).containsExactly(Map.entry("n1-mlx5_0", "roce-0"));
    }

    @Test
    void softwareIsInAFabricWhoseSelectorSelectsItAlsoOverTheInterfaceOfTheDefaultRoute() {
        device("rxe0", Family.RoCE, Function.Software, Role.Management);
        device("siw0", Family.iWARP, Function.Software, Role.Unknown);
        fabric("tests", false, null, Family.RoCE);
        assertThat(decide(Map.of()).fabricOf()).containsExactly(Map.entry("n1-rxe0", "tests"));
        assertThat(decide(Map.of("n1-rxe0", "tests")).fabricOf()).containsExactly(Map.entry("n1-rxe0", "tests"));
    }

    private void poolFabric(String name, List<Family> families, List<TopologySource> sources) {
        stores.nodes()
                .put(
                        "n1",
                        new NodeBuilder()
                                .withNewMetadata()
                                .withName("n1")
                                .withUid("n1")
                                .withResourceVersion("1")
                                .withLabels(Map.of("pool", "hpc"))
                                .endMetadata()
                                .build());
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid(name)
                .withResourceVersion(Integer.toString(++versions))
                .build());
        fabric.setSpec(FabricSpecBuilder.builder()
                .selector(new DeviceSelector(List.of(), families, List.of(), Map.of("pool", "hpc")))
                .sources(sources)
                .build());
        stores.fabrics().put(name, fabric);
    }

    private static TopologySource labels(@Nullable String key) {
        return TopologySourceBuilder.builder()
                .type(SourceType.NodeLabels)
                .nodeLabels(key == null ? null : new NodeLabelSource(List.of(key), null, null))
                .build();
    }

    @Test
    void acceleratorsAreInNoFabricWhoseSelectorSelectsTheirNodesAlone() {
        device("mlx5_0", Family.InfiniBand, Function.Physical, Role.Fabric);
        device("0000:01:00.0", Family.NVLink, Function.Physical, Role.Unknown);
        Map<String, String> before = Map.of("n1-mlx5_0", "mine", "n1-0000:01:00.0", "mine");
        TopologySource cliques = labels("nvidia.com/gpu.clique");
        for (List<TopologySource> sources : List.of(
                List.<TopologySource>of(),
                List.of(labels(null)),
                List.of(labels("site/leaf")),
                List.of(labels(null), cliques))) {
            poolFabric("mine", List.of(), sources);
            assertThat(decide(Map.of()).fabricOf()).containsExactly(Map.entry("n1-mlx5_0", "mine"));
            assertThat(decide(before).fabricOf()).containsExactly(Map.entry("n1-mlx5_0", "mine"));
        }
    }

    @Test
    void acceleratorsAreInAFabricThatNamesTheirFamilyOrNothingButTheirCliques() {
        device("0000:01:00.0", Family.NVLink, Function.Physical, Role.Unknown);
        Map<String, String> in = Map.of("n1-0000:01:00.0", "mine");
        poolFabric("mine", List.of(Family.NVLink), List.of());
        assertThat(decide(Map.of()).fabricOf()).isEqualTo(in);
        assertThat(decide(in).fabricOf()).isEqualTo(in);
        poolFabric("mine", List.of(), List.of(labels("nvidia.com/gpu.clique")));
        assertThat(decide(Map.of()).fabricOf()).isEqualTo(in);
        assertThat(decide(in).fabricOf()).isEqualTo(in);
        poolFabric("mine", List.of(Family.InfiniBand), List.of(labels("nvidia.com/gpu.clique")));
        assertThat(decide(in).fabricOf()).isEmpty();
    }

    @Test
    void aPortThatManagesSwitchesOfItsHostMakesNoFabric() {
        device("mlx5_0", Family.InfiniBand, Function.Physical, Role.Management);
        assertThat(decide(Map.of()).created()).isEmpty();
    }

    @Test
    void aPortThatManagesSwitchesOfItsHostIsInNoFabricButOneForManagement() {
        device("mlx5_0", Family.InfiniBand, Function.Physical, Role.Management);
        device("mlx5_4", Family.InfiniBand, Function.Physical, Role.Fabric);
        fabric("infiniband-0", true, null, Family.InfiniBand);
        Map<String, String> before = Map.of("n1-mlx5_0", "infiniband-0", "n1-mlx5_4", "infiniband-0");
        assertThat(decide(before).fabricOf()).containsExactly(Map.entry("n1-mlx5_4", "infiniband-0"));
        fabric("mine", false, null, Family.InfiniBand);
        assertThat(decide(before).fabricOf()).containsExactly(Map.entry("n1-mlx5_4", "mine"));
        fabric("managers", false, Purpose.Management, Family.InfiniBand);
        assertThat(decide(before).fabricOf()).containsEntry("n1-mlx5_0", "managers");
    }
}
