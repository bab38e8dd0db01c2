/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.coordinate.CoordinateContract;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.SwitchPosition;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ClassifierTest {
    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void keepsTheContract(Dump dump) {
        for (OfflineFabric fabric : OfflineFabrics.of(dump.cabling())) {
            List<Vertex> vertices = new ArrayList<>();
            fabric.devices()
                    .forEach(d -> vertices.add(new Vertex(
                            vertices.size(),
                            d.endId(),
                            d.port(),
                            d.hostname().isEmpty() ? null : d.hostname(),
                            d.osName())));
            assertContract(Topology.of(fabric.switches(), vertices));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "fabric/ib-ndr-dgx-topograph,  RailOptimized, 8x4x19,  8, 4",
        "fabric/ib-hdr-selene-storage, FatTree,       4x16x24, 4, 1",
        "fabric/ib-qdr-fdr10-rocket,   FatTree,       7x24,    7, 1",
        "fabric/ib-qdr-ddr-psmn-x5,    FatTree,       6x24,    6, 1",
        "fabric/ib-mixed-lab-nvidia,   FatTree,       2x10,    3, 1",
        "sim/ft2-128,                  FatTree,       8x16,    8, 1",
        "sim/ft3-k18,                  FatTree,       18x9x9, 18, 1",
        "sim/rail-32x8,                RailOptimized, 1x8x32,  1, 8",
        "sim/torus-6x6x6,              Torus,         6x6x6x2, 6, 1",
        "sim/df-a4p2h2,                Dragonfly,     9x4x2,   9, 1",
    })
    void recordedAndSimulatedFabricsAreWhatTheyAre(
            String directory, FabricKind kind, String shape, int groups, int planes) {
        for (Dump dump : Dump.all()) {
            if (dump.directory().equals(directory)) {
                FabricModel model = OfflineFabrics.of(dump.cabling()).getFirst().model();
                assertThat(model.kind()).isEqualTo(kind);
                assertThat(model.planes()).hasSize(planes);
                if (!dump.file().contains("fault")) {
                    assertThat(model.defaultShape().string()).isEqualTo(shape);
                    assertThat(model.groups()).isEqualTo(groups);
                }
            }
        }
    }

    @Test
    void railsAreNumberedAsTheHostsNumberTheirDevices() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("rail-32x8").cabling()).getFirst();
        Dump.json("sim/rail-32x8/coords.truth.json.gz")
                .path("switches")
                .properties()
                .forEach(entry -> {
                    if (entry.getValue().has("rail")) {
                        SwitchPosition place =
                                Objects.requireNonNull(fabric.model().switchPosition(entry.getKey()));
                        assertThat(place.coordinates().getFirst().values())
                                .containsExactly(
                                        0, entry.getValue().path("rail").asInt());
                    }
                });
    }

    @Test
    void podsAreThoseThatWereCabled() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft3-k18").cabling()).getFirst();
        Map<String, Integer> groupOfPod = new HashMap<>();
        Dump.json("sim/ft3-k18/coords.truth.json.gz")
                .path("switches")
                .properties()
                .forEach(entry -> {
                    SwitchPosition place = Objects.requireNonNull(fabric.model().switchPosition(entry.getKey()));
                    String pod = entry.getValue().path("desc").asText().split("-")[0];
                    if (pod.equals("core")) {
                        assertThat(place.group()).isNull();
                    } else {
                        int group = Objects.requireNonNull(place.group());
                        assertThat(groupOfPod.computeIfAbsent(pod, p -> group)).isEqualTo(group);
                    }
                });
        assertThat(new HashSet<>(groupOfPod.values())).hasSize(18);
    }

    @Property(seed = "20261121", tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void treesOfTwoLevelsAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 3, max = 20) int leaves,
            @ForAll @IntRange(min = 2, max = 8) int spines,
            @ForAll @IntRange(min = 1, max = 12) int hosts,
            @ForAll @IntRange(min = 1, max = 4) int parallel,
            @ForAll @IntRange(max = 10) int percentMissing) {
        double missing = spines * parallel < 4 ? 0 : percentMissing / 100.0;
        Topology topology = Wiring.twoLevels(seed, leaves, spines, hosts, parallel)
                .withoutCables(missing)
                .topology();
        Classification found = assertContract(topology);
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(1);
    }

    @Property(seed = "20261121", tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void treesOfThreeLevelsAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 2, max = 6) int pods,
            @ForAll @IntRange(min = 2, max = 8) int leaves,
            @ForAll @IntRange(min = 2, max = 6) int aggregations,
            @ForAll @IntRange(min = 1, max = 4) int cores,
            @ForAll @IntRange(min = 1, max = 8) int hosts,
            @ForAll @IntRange(min = 1, max = 2) int parallel,
            @ForAll @IntRange(max = 10) int percentMissing) {
        double missing = aggregations * parallel < 4 ? 0 : percentMissing / 100.0;
        Topology topology = Wiring.threeLevels(seed, pods, leaves, aggregations, cores, hosts, parallel)
                .withoutCables(missing)
                .topology();
        Classification found = assertContract(topology);
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(2);
        // A leaf that lost all of its cables is no part of any pod.
        assertThat(found.groups()).isBetween(pods, missing == 0 ? pods : pods + 2);
    }

    @Property(seed = "20261121", tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void railOptimisedFabricsAreRecognised(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 6) int units,
            @ForAll @IntRange(min = 2, max = 8) int rails,
            @ForAll @IntRange(min = 3, max = 16) int hosts,
            @ForAll @IntRange(min = 2, max = 6) int spines,
            @ForAll @IntRange(min = 2, max = 4) int parallel,
            @ForAll @IntRange(max = 10) int percentMissing) {
        Wiring wiring =
                Wiring.rails(seed, units, rails, hosts, spines, parallel).withoutCables(percentMissing / 100.0);
        Classification found = assertContract(wiring.topology());
        assertThat(found.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(found.planes()).isEqualTo(rails);
        assertThat(found.groups()).isEqualTo(units);
        assertRailIsTheKernelsNumber(wiring, found);
    }

    private static void assertRailIsTheKernelsNumber(Wiring wiring, Classification found) {
        Topology topology = wiring.topology();
        for (Vertex vertex : wiring.vertices()) {
            int end = topology.endOfSlot(vertex.index());
            assertThat("mlx5_" + found.planeOfEnd()[end]).isEqualTo(vertex.osName());
        }
    }

    @Property(seed = "20261121", tries = 40, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void anythingIsClassifiedTheSameInAnyOrder(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int size) {
        Wiring wiring = Wiring.random(seed, size, size * 2, size * 2);
        Classification found = assertContract(wiring.topology());

        List<Vertex> vertices = new ArrayList<>(wiring.vertices());
        Collections.shuffle(vertices, new Random(seed));
        Topology again = Topology.of(new ArrayList<>(wiring.switches()).reversed(), vertices);
        Classification same = Classifier.classify(again);
        assertThat(same.kind()).isEqualTo(found.kind());
        assertThat(same.axes()).isDeepEqualTo(found.axes());
        assertThat(same.groupOfEnd()).isEqualTo(found.groupOfEnd());
        assertThat(same.planeOfEnd()).isEqualTo(found.planeOfEnd());
    }

    @Test
    void oneSwitchIsATreeOfOneLevel() {
        Wiring wiring = new Wiring(3);
        int node = wiring.node();
        wiring.device(node, "a", null).device(node, "b", null);
        Classification found = assertContract(wiring.topology());
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(1);
        assertThat(found.groups()).isEqualTo(1);
    }

    @Test
    void devicesWithoutSwitchesAreFlat() {
        Topology topology = Topology.of(List.of(), List.of(new Vertex(0, "a", 1, "x"), new Vertex(5, "b", 1, "y")));
        assertThat(assertContract(topology).kind()).isEqualTo(FabricKind.Flat);
    }

    @Test
    void aServiceHostOnACoreSwitchDoesNotHideThePods() {
        Wiring wiring = Wiring.threeLevels(5, 4, 4, 4, 2, 8, 1).device(0, "ufm", "mlx5_0");
        Classification found = assertContract(wiring.topology());
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(2);
        // The core switch is a subtree of its own.
        assertThat(found.groups()).isEqualTo(5);
    }

    @Test
    void emptyLeavesAndPodsDoNotAddLevels() {
        Wiring wiring = Wiring.twoLevels(6, 6, 4, 8, 1);
        int empty = wiring.node();
        for (int spine = 0; spine < 4; spine++) {
            wiring.cable(empty, spine, 1);
        }
        Classification found = assertContract(wiring.topology());
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(1);

        Wiring pods = Wiring.threeLevels(7, 3, 4, 2, 2, 6, 1);
        int aggregation = pods.node();
        int leaf = pods.node();
        pods.cable(aggregation, 0, 1).cable(aggregation, 1, 1).cable(leaf, aggregation, 1);
        found = assertContract(pods.topology());
        assertThat(found.axes()).hasNumberOfRows(2);
        assertThat(found.groups()).isEqualTo(3);
    }

    @Test
    void spinesOfOneRailTellWhichLeavesAreOneRail() {
        Wiring wiring = new Wiring(11);
        int[][] spines = {wiring.nodes(2), wiring.nodes(2), wiring.nodes(2)};
        int core = wiring.node();
        for (int rail = 0; rail < 3; rail++) {
            for (int spine : spines[rail]) {
                wiring.cable(spine, core, 2);
            }
        }
        for (int unit = 0; unit < 3; unit++) {
            for (int rail = 0; rail < 3; rail++) {
                int leaf = wiring.node();
                wiring.cable(leaf, spines[rail][0], 2).cable(leaf, spines[rail][1], 2);
                for (int h = 0; h < 5; h++) {
                    // Persistent names say nothing of rails.
                    wiring.device(leaf, "u" + unit + "h" + h, null);
                }
            }
        }
        Topology topology = wiring.topology();
        Classification found = assertContract(topology);
        assertThat(found.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(found.planes()).isEqualTo(3);
        assertThat(IntStream.of(found.planeOfSwitch()).filter(p -> p < 0)).hasSize(1);
        for (int s = 0; s < topology.switches(); s++) {
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int far = found.planeOfSwitch()[topology.neighbor(n)];
                assertThat(found.planeOfSwitch()[s] < 0 || far < 0 || far == found.planeOfSwitch()[s])
                        .isTrue();
            }
        }
    }

    /** Its leaves may be the first of rails, or of racks that share nothing: the next host tells. */
    @Test
    void oneHostOnSeveralLeavesMakesNoRails() {
        assertThat(assertContract(Wiring.rails(13, 1, 8, 1, 4, 2).topology()).kind())
                .isEqualTo(FabricKind.FatTree);
        assertThat(assertContract(Wiring.rails(13, 1, 8, 2, 4, 2).topology()).kind())
                .isEqualTo(FabricKind.RailOptimized);
    }

    @Test
    void hostsThatAreDualHomedAtWillMakeNoRails() {
        Wiring wiring = new Wiring(12);
        int[] spines = wiring.nodes(3);
        int[] leaves = wiring.nodes(8);
        for (int leaf : leaves) {
            for (int spine : spines) {
                wiring.cable(leaf, spine, 1);
            }
        }
        for (int h = 0; h < 64; h++) {
            wiring.device(leaves[h % 8], "h" + h, "mlx5_0").device(leaves[(h * 5 + h / 8 + 1) % 8], "h" + h, "mlx5_1");
        }
        assertThat(assertContract(wiring.topology()).kind()).isEqualTo(FabricKind.FatTree);
    }

    private static Classification assertContract(Topology topology) {
        Classification found = Classifier.classify(topology);
        ClassificationContract.assertHolds(topology, found);
        CoordinateContract.assertHolds(topology, found);
        return found;
    }
}
