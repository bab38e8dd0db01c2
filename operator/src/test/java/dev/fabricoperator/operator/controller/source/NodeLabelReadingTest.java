/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.NodeDevices;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.NodeLabelSourceBuilder;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SourceNames;
import dev.fabricoperator.operator.model.SourceProblem;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Labels of nodes that come, go and change while a source is read again and again. */
class NodeLabelReadingTest {
    private static final NodeLabelSource KEYS = new NodeLabelSource(List.of("site/spine", "site/leaf"), 400, null);
    private static final int NODES = 24;

    private final FactStores stores = new FactStores(SteadyClock.system());
    private int versions;

    NodeLabelReadingTest() {
        for (int node = 0; node < NODES; node++) {
            label(node, "spine" + node / 12, "leaf" + node / 4);
        }
    }

    private void label(int node, @Nullable String spine, @Nullable String leaf) {
        Map<String, String> labels = new HashMap<>();
        if (spine != null) {
            labels.put("site/spine", spine);
        }
        if (leaf != null) {
            labels.put("site/leaf", leaf);
        }
        label(node, labels);
    }

    private void label(int node, Map<String, String> labels) {
        String name = "node%02d".formatted(node);
        stores.nodes()
                .put(
                        name,
                        new NodeBuilder()
                                .withNewMetadata()
                                .withName(name)
                                .withUid(name)
                                .withResourceVersion(Integer.toString(++versions))
                                .withLabels(labels)
                                .endMetadata()
                                .build());
    }

    private Reading.Success read(List<Switch> last) {
        return (Reading.Success) NodeLabelReading.of(KEYS, stores, last, false);
    }

    private static String leafOf(int node, Reading.Success reading) {
        String end = "node%02d/".formatted(node);
        return reading.cabling().switches().stream()
                .filter(block -> block.ports().stream()
                        .anyMatch(
                                port -> Objects.requireNonNull(port.peer()).id().equals(end)))
                .map(Switch::id)
                .findFirst()
                .orElse("none");
    }

    private static List<String> neighbors(String block, Reading.Success reading) {
        return reading.cabling().switches().stream()
                .filter(one -> one.id().equals(block))
                .flatMap(one -> one.ports().stream())
                .map(port -> Objects.requireNonNull(port.peer()).id())
                .filter(id -> !id.endsWith("/"))
                .toList();
    }

    private static List<String> problems(Reading.Success reading) {
        return reading.cabling().problems().stream().map(Problem::message).toList();
    }

    @Test
    void labelsOfWatchedNodesAreATreeWithSpeeds() {
        Reading.Success reading = read(List.of());
        assertThat(reading.cabling().switches()).hasSize(8);
        assertThat(reading.cabling().switches().stream().flatMap(block -> block.ports().stream()))
                .extracting(SwitchPort::speedBitsPerSecond)
                .containsOnly(400_000_000_000L);
        assertThat(leafOf(13, reading)).isEqualTo("spine1.leaf3");
        assertThat(neighbors("spine1.leaf3", reading)).containsExactly("spine1");
        assertThat(problems(reading)).isEmpty();
    }

    @Test
    void aHostStandsForItsDevicesOfAllFamiliesWhereTheSpecSaysSo() {
        NodeLabelSource all =
                NodeLabelSourceBuilder.builder(KEYS).devices(NodeDevices.all).build();
        List<Switch> byFamily = read(List.of()).cabling().switches();
        label(13, null, null);
        Reading.Success reading = (Reading.Success) NodeLabelReading.of(all, stores, byFamily, false);
        assertThat(neighbors("spine1.leaf3", reading)).contains("node12/*", "node13/*");
    }

    @Test
    void aNodeThatLostALabelStaysWhereItWas() {
        List<Switch> before = read(List.of()).cabling().switches();
        label(13, "spine1", null);
        label(14, null, null);
        Reading.Success after = read(before);
        assertThat(leafOf(13, after)).isEqualTo("spine1.leaf3");
        assertThat(leafOf(14, after)).isEqualTo("spine1.leaf3");
        assertThat(problems(after))
                .satisfiesExactly(
                        problem -> assertThat(problem)
                                .startsWith("1 of 24 nodes lack the label site/leaf, such as node13"),
                        problem -> assertThat(problem)
                                .startsWith(
                                        "1 of 24 nodes have none of the labels site/spine, site/leaf, such as node14"));
        assertThat(leafOf(13, read(List.of()))).isEqualTo("none");
    }

    /** What it wrote would be what it read next. */
    @Test
    void labelsThatTheOperatorWritesAreNoSource() {
        NodeLabelSource own = new NodeLabelSource(List.of("site/spine", "fabric-operator.dev/tier-1"), 400, null);
        assertThat(NodeLabelReading.of(own, stores, List.of(), false))
                .isInstanceOfSatisfying(
                        Reading.Failure.class,
                        failure -> assertThat(failure.problem().message())
                                .startsWith(
                                        "labels of nodes: keys of labels: the operator itself writes fabric-operator.dev/tier-1,"));
    }

    /** Nodes without a device are none of a fabric's. */
    @Test
    void aNodeThatNeverHadALabelAndHasNoDeviceIsNotTold() {
        label(99, null, null);
        assertThat(problems(read(List.of()))).isEmpty();
    }

    @Test
    void aCloudsBlockStaysBelowItsParentWhileAnyNodeSaysSo() {
        for (int node = 0; node < NODES; node++) {
            labelOfCloud(node, "spine" + node / 12, "leaf" + node / 4);
        }
        List<Switch> before = readCloud(List.of()).cabling().switches();
        for (int node = 12; node < 15; node++) {
            labelOfCloud(node, "spine0", "leaf3");
        }
        Reading.Success some = readCloud(before);
        assertThat(neighbors("leaf3", some)).containsExactly("spine1");
        assertThat(problems(some)).singleElement().asString().contains("subblock=leaf3", "block=spine0");
        labelOfCloud(15, "spine0", "leaf3");
        Reading.Success all = readCloud(before);
        assertThat(neighbors("leaf3", all)).containsExactly("spine0");
        assertThat(problems(all)).isEmpty();
    }

    @Test
    void aNodeWithABlocksNameAtTheWrongTierStaysWhereItWasAndTheOthersGoOn() {
        for (int node = 0; node < NODES; node++) {
            labelOfCloud(node, "spine" + node / 12, "leaf" + node / 4);
        }
        List<Switch> before = readCloud(List.of()).cabling().switches();
        labelOfCloud(0, "leaf3", "spine0");
        labelOfCloud(1, "leaf3", "leaf3");
        labelOfCloud(13, "spine0", "leaf1");
        Reading.Success after = readCloud(before);
        assertThat(leafOf(0, after)).isEqualTo("leaf0");
        assertThat(leafOf(1, after)).isEqualTo("leaf0");
        assertThat(leafOf(13, after)).isEqualTo("leaf1");
        assertThat(problems(after))
                .singleElement()
                .asString()
                .startsWith("2 of 24 nodes name a block at the wrong tier, such as node00");
    }

    private void labelOfCloud(int node, String block, String subblock) {
        label(
                node,
                Map.of(
                        "cloud.google.com/gce-topology-block", block,
                        "cloud.google.com/gce-topology-subblock", subblock));
    }

    private Reading.Success readCloud(List<Switch> last) {
        return (Reading.Success) NodeLabelReading.of(null, stores, last, false);
    }

    @Test
    void aNodeWhoseLabelChangesMoves() {
        List<Switch> before = read(List.of()).cabling().switches();
        label(13, "spine0", "leaf1");
        assertThat(leafOf(13, read(before))).isEqualTo("spine0.leaf1");
    }

    @Test
    void labelsThatAreAllGoneAreAProblemWithTheNextStep() {
        for (int node = 0; node < NODES; node++) {
            label(node, null, null);
        }
        assertThat(NodeLabelReading.of(KEYS, stores, List.of(), false))
                .isEqualTo(
                        new Reading.Failure(
                                SourceType.NodeLabels,
                                new SourceProblem(
                                        SourceProblem.Kind.Unreadable,
                                        "labels of nodes: none of 24 nodes has a label site/spine or site/leaf: name keys that nodes have, from the top to the leaf")));
        assertThat(NodeLabelReading.of(null, stores, List.of(), false))
                .isInstanceOfSatisfying(
                        Reading.Failure.class,
                        bad -> assertThat(bad.problem().message())
                                .contains("none of 24 nodes has the labels of aws, gke"));
    }

    @Test
    void labelsOfTopographAreNoSourceWhereTheOperatorWritesThemItself() {
        NodeLabelSource topograph =
                new NodeLabelSource(List.of("fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"), null, null);
        for (int node = 0; node < NODES; node++) {
            label(
                    node,
                    Map.of("fabric.topograph.run/tier-1", "spine", "fabric.topograph.run/tier-0", "leaf" + node / 4));
        }
        assertThat(NodeLabelReading.of(topograph, stores, List.of(), true))
                .isInstanceOfSatisfying(
                        Reading.Failure.class,
                        failure -> assertThat(failure.problem().message())
                                .startsWith("labels of nodes: the operator itself writes fabric.topograph.run/tier-1"));
        assertThat(NodeLabelReading.of(topograph, stores, List.of(), false)).isInstanceOf(Reading.Success.class);
    }

    @Test
    void aNodeThatLostItsCliqueStaysThereAndOneThatNeverHadOneIsNotTold() {
        NodeLabelSource cliques = new NodeLabelSource(List.of("nvidia.com/gpu.clique"), 7200, null);
        for (int node = 0; node < NODES; node++) {
            label(node, node < 8 ? Map.of("nvidia.com/gpu.clique", "domain." + node / 4) : Map.of());
        }
        Reading.Success before = (Reading.Success) NodeLabelReading.of(cliques, stores, List.of(), false);
        assertThat(before.cabling().problems()).isEmpty();
        assertThat(before.cabling().switches())
                .allMatch(NvlinkClique::is)
                .extracting(Switch::id)
                .containsExactly("domain.0", "domain.1");
        label(3, Map.of());
        Reading.Success after = (Reading.Success)
                NodeLabelReading.of(cliques, stores, before.cabling().switches(), false);
        assertThat(after.cabling().switches()).isEqualTo(before.cabling().switches());
        assertThat(after.cabling().problems())
                .extracting(Problem::message)
                .containsExactly("1 of 24 nodes have none of the labels nvidia.com/gpu.clique, such as node03:"
                        + " each stays where it was, and has no place where it had none");
    }

    @Test
    void cliquesOfMoreNodesThanANetworkIsLabelledOfDoNotTakeItsPlace() {
        for (int node = 0; node < NODES; node++) {
            Map<String, String> labels = new HashMap<>(Map.of("nvidia.com/gpu.clique", "domain.0"));
            if (node > 0) {
                labels.putAll(Map.of(
                        "topology.k8s.aws/network-node-layer-1", "nn-1",
                        "topology.k8s.aws/network-node-layer-2", "nn-2",
                        "topology.k8s.aws/network-node-layer-3", "nn-3"));
            }
            label(node, labels);
        }
        Reading.Success network = readCloud(List.of());
        assertThat(network.cabling().switches())
                .noneMatch(NvlinkClique::is)
                .extracting(Switch::id)
                .containsExactly("nn-1", "nn-2", "nn-3");
        assertThat(leafOf(23, network)).isEqualTo("nn-3");
    }

    @Test
    void cliquesThatNoKeyNamesAreReadWhereThereIsNoNetworkAndANodeWithAnotherDeviceIsNotTold() {
        for (int node = 0; node < NODES; node++) {
            label(node, node < 8 ? Map.of("nvidia.com/gpu.clique", "domain." + node / 4) : Map.of());
        }
        device("node20");
        Reading.Success cliques = readCloud(List.of());
        assertThat(cliques.cabling().switches())
                .allMatch(NvlinkClique::is)
                .extracting(Switch::id)
                .containsExactly("domain.0", "domain.1");
        assertThat(problems(cliques)).isEmpty();
    }

    @Test
    void twoKeysOfCliquesAreATreeWhoseNodesWithDevicesAreTold() {
        NodeLabelSource two =
                new NodeLabelSource(List.of("accelerator.topograph.run/domain", "nvidia.com/gpu.clique"), null, null);
        for (int node = 0; node < NODES; node++) {
            label(
                    node,
                    node < 8
                            ? Map.of("accelerator.topograph.run/domain", "d", "nvidia.com/gpu.clique", "d." + node / 4)
                            : Map.of());
        }
        device("node20");
        Reading.Success tree = (Reading.Success) NodeLabelReading.of(two, stores, List.of(), false);
        assertThat(tree.cabling().switches()).noneMatch(NvlinkClique::is);
        assertThat(problems(tree)).singleElement().asString().contains("node20");
    }

    private void device(String node) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(node + "-mlx5-0")
                .withUid(node)
                .withResourceVersion("1")
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(node)
                .osName("mlx5_0")
                .port(1)
                .deviceId(node + "/mlx5_0")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .role(Role.Fabric)
                .build());
        stores.devices().put(device.getMetadata().getName(), device);
    }

    @Test
    void nodesThatAreGoneTakeTheirBlocksAlong() {
        List<Switch> before = read(List.of()).cabling().switches();
        for (int node = 4; node < NODES; node++) {
            stores.nodes().remove("node%02d".formatted(node));
        }
        Reading.Success after = read(before);
        assertThat(after.cabling().switches()).extracting(Switch::id).containsExactly("spine0", "spine0.leaf0");
        assertThat(new LossWatch().decide("node-labels", after, before, stores, false))
                .isNull();
    }

    @Test
    void labelsThatMostNodesLostAtOnceAreHeld() {
        List<Switch> before = read(List.of()).cabling().switches();
        for (int node = 4; node < NODES; node++) {
            label(node, null, null);
        }
        SourceProblem problem = new LossWatch().decide("node-labels", read(before), before, stores, false);
        assertThat(Objects.requireNonNull(problem).kind()).isEqualTo(SourceProblem.Kind.Shrunk);
    }

    @Test
    void sourcesOfOtherKeysHaveOtherNames() {
        assertThat(SourceNames.of(source(null))).isEqualTo("node-labels");
        String one = SourceNames.of(source(KEYS));
        assertThat(one).startsWith("node-labels.").hasSizeLessThan(64);
        assertThat(SourceNames.of(source(new NodeLabelSource(List.of("site/spine"), null, null))))
                .isNotEqualTo(one);
        assertThat(SourceNames.of(source(new NodeLabelSource(List.of("a.b", "c"), null, null))))
                .isNotEqualTo(SourceNames.of(source(new NodeLabelSource(List.of("a", "b.c"), null, null))));
        assertThat(SourceNames.of(source(new NodeLabelSource(List.of(), null, NodeDevices.all))))
                .isNotEqualTo(SourceNames.of(source(new NodeLabelSource(List.of(), null, NodeDevices.byFamily))));
    }

    private static TopologySource source(@Nullable NodeLabelSource labels) {
        return TopologySourceBuilder.builder()
                .type(SourceType.NodeLabels)
                .nodeLabels(labels)
                .build();
    }
}
