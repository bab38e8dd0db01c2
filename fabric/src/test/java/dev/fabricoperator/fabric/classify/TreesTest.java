/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.coordinate.CoordinateContract;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.TopoFile;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fat trees as people build them, with what hangs off them and with what they lack. */
class TreesTest {
    @ParameterizedTest
    @CsvSource({
        "12-ary-2-tree,                         12x12,   12",
        "4-ary-2-tree-links-at-same-rank-1,     4x4,      4",
        "4-ary-2-tree-missing-sw-link,          4x4,      4",
        "4-ary-3-tree,                          4x4x4,    4",
        "half-4-ary-3-tree,                     2x4x4,    2",
        "part-4-ary-3-tree,                     3x4x4,    3",
        "2-ary-4-tree,                          2x2x2x2,  2",
    })
    void modelsOfIbutilsAreTheTreesTheyAreNamedAfter(String name, String shape, int groups) {
        assertTree(TopoFile.read(1, name + ".topo"), shape, groups);
    }

    @Test
    void smallestTreesAreTrees() {
        Wiring twoSwitches = new Wiring(2);
        int[] pair = twoSwitches.nodes(2);
        twoSwitches.cable(pair[0], pair[1], 4);
        hosts(twoSwitches, 5, pair);
        assertTree(twoSwitches, "2x5", 2);

        Wiring leafAndSpine = new Wiring(3);
        pair = leafAndSpine.nodes(2);
        leafAndSpine.cable(pair[0], pair[1], 4);
        hosts(leafAndSpine, 7, pair[0]);
        assertTree(leafAndSpine, "1x7", 1);

        Wiring star = new Wiring(4);
        int[] nodes = star.nodes(4);
        for (int i = 1; i < nodes.length; i++) {
            star.cable(nodes[0], nodes[i], 2);
        }
        hosts(star, 6, nodes);
        assertTree(star, "4x6", 4);
    }

    @Test
    void hostsMayHangAtInnerSwitches() {
        Wiring cascade = new Wiring(5);
        int[] nodes = cascade.nodes(10);
        for (int i = 1; i < nodes.length; i++) {
            cascade.cable(nodes[(i - 1) / 3], nodes[i], 2);
        }
        hosts(cascade, 4, nodes);
        // The root, one branch without switches below it, and two with three each.
        assertTree(cascade, "4x4x4", 4);

        for (int onSpines : new int[] {1, 8, 16}) {
            Wiring mixed = Wiring.twoLevels(6, 8, 4, 16, 1);
            hosts(mixed, onSpines, 0, 1, 2, 3);
            assertTree(mixed, "12x16", 12);
        }
        Wiring oneSpine = Wiring.twoLevels(7, 8, 4, 16, 1);
        hosts(oneSpine, 16, 0);
        assertTree(oneSpine, "9x16", 9);

        Wiring aggregation = Wiring.threeLevels(8, 4, 4, 4, 2, 8, 1);
        hosts(aggregation, 8, 8);
        assertTree(aggregation, "4x5x8", 4);
    }

    @Test
    void whatHangsOffATreeDoesNotHideIt() {
        Wiring onSpine = Wiring.twoLevels(9, 8, 4, 16, 1);
        hosts(onSpine, 6, chain(onSpine, 0, 2));
        assertTree(onSpine, "10x16", 10);

        Wiring onCore = Wiring.threeLevels(10, 4, 4, 4, 2, 8, 1);
        hosts(onCore, 6, chain(onCore, 0, 2));
        assertTree(onCore, "6x4x8", 6);

        Wiring onLeaf = Wiring.threeLevels(11, 4, 4, 4, 2, 8, 1);
        hosts(onLeaf, 6, chain(onLeaf, 12, 1));
        // The service switch is in the pod of its leaf.
        assertTree(onLeaf, "4x5x8", 4);

        Wiring empty = Wiring.twoLevels(12, 8, 4, 16, 1);
        chain(empty, 4, 3);
        assertTree(empty, "8x16", 8);
    }

    @Test
    void partsThatNothingJoinsDoNotHideATree() {
        Wiring ring = Wiring.twoLevels(13, 8, 4, 16, 1);
        int[] nodes = ring.nodes(5);
        for (int i = 0; i < nodes.length; i++) {
            ring.cable(nodes[i], nodes[(i + 1) % nodes.length], 1);
        }
        assertTree(ring, "8x16", 8);

        Wiring pair = Wiring.twoLevels(14, 8, 4, 16, 1);
        nodes = pair.nodes(2);
        pair.cable(nodes[0], nodes[1], 1);
        hosts(pair, 2, nodes);
        assertTree(pair, "10x16", 10);
    }

    @Test
    void directorsAreSeenThroughTheirInnerSwitches() {
        Wiring alone = director(15);
        for (int line = 9; line < 27; line++) {
            hosts(alone, 18, line);
        }
        assertTree(alone, "18x18", 18);

        Wiring core = director(16);
        for (int leaf = 0; leaf < 18; leaf++) {
            int node = core.node();
            for (int up = 0; up < 12; up++) {
                core.cable(node, 9 + (leaf + up) % 18, 1);
            }
            hosts(core, 20, node);
        }
        assertTree(core, "18x20", 18);
    }

    @Test
    void aTreeKeepsItsShapeWithoutASwitchOfAnyLevel() {
        for (int missing = 0; missing < 3; missing++) {
            Wiring wiring = new Wiring(17);
            int[] cores = wiring.nodes(8);
            for (int pod = 0; pod < 4; pod++) {
                int[] middle = wiring.nodes(4);
                int[] leaves = wiring.nodes(4);
                for (int m = 0; m < 4; m++) {
                    boolean noMiddle = missing == 1 && pod == 1 && m == 2;
                    for (int c = 0; c < 2; c++) {
                        boolean noCore = missing == 0 && m == 1 && c == 1;
                        wiring.cable(middle[m], cores[2 * m + c], noMiddle || noCore ? 0 : 1);
                    }
                    for (int leaf = 0; leaf < 4; leaf++) {
                        boolean noLeaf = missing == 2 && pod == 2 && leaf == 0;
                        wiring.cable(leaves[leaf], middle[m], noMiddle || noLeaf ? 0 : 1);
                    }
                }
                for (int leaf = 0; leaf < 4; leaf++) {
                    hosts(wiring, missing == 2 && pod == 2 && leaf == 0 ? 0 : 4, leaves[leaf]);
                }
            }
            assertTree(wiring, "4x4x4", 4);
        }
    }

    @Test
    void portsOfOneCardAreNoRails() {
        Wiring wiring = new Wiring(18);
        int[] spines = wiring.nodes(2);
        for (int pair = 0; pair < 4; pair++) {
            int[] leaves = wiring.nodes(2);
            for (int leaf : leaves) {
                wiring.cable(leaf, spines[0], 2).cable(leaf, spines[1], 2);
            }
            for (int h = 0; h < 8; h++) {
                wiring.card("p" + pair + "h" + h, leaves);
            }
        }
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(model.planes()).hasSize(1);
        // All hosts are in two leaves, whose lowest common subtree is the whole.
        assertThat(IntStream.of(model.classification().groupOfEnd()).distinct()).containsExactly(8);
    }

    @Test
    void planesThatNothingOrOnlyTheCoreJoinsAreToldApart() {
        for (boolean joined : new boolean[] {false, true}) {
            Wiring wiring = new Wiring(19);
            int[] cores = wiring.nodes(4);
            for (int plane = 0; plane < 2; plane++) {
                int[] spines = wiring.nodes(4);
                for (int s = 0; s < spines.length; s++) {
                    wiring.cable(spines[s], cores[s], joined ? 2 : 0);
                }
                for (int leaf = 0; leaf < 6; leaf++) {
                    int node = wiring.node();
                    for (int spine : spines) {
                        wiring.cable(node, spine, 1);
                    }
                    for (int h = 0; h < 8; h++) {
                        // Leaves of the planes do not have the same hosts, so they are no units.
                        wiring.device(node, "h" + (leaf * 8 + h * (1 + 6 * plane)) % 48, "mlx5_" + plane);
                    }
                }
            }
            Topology topology = wiring.topology();
            Classification found = Classifier.classify(topology);
            ClassificationContract.assertHolds(topology, found);
            CoordinateContract.assertHolds(topology, found);
            assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
            assertThat(found.planes()).isEqualTo(2);
            assertThat(found.axes()).hasNumberOfRows(1);
            for (int end = 0; end < topology.ends(); end++) {
                assertThat(topology.endOsName(end)).isEqualTo("mlx5_" + found.planeOfEnd()[end]);
            }
            assertThat(FabricModel.of(wiring.switches(), wiring.vertices()).partitions())
                    .isEqualTo(1);
        }
    }

    @Test
    void podsOfPlanesWithTheSameHostsAreOneGroup() {
        Wiring wiring = new Wiring(20);
        for (int plane = 0; plane < 2; plane++) {
            int[] cores = wiring.nodes(8);
            for (int pod = 0; pod < 4; pod++) {
                int[] middle = wiring.nodes(4);
                for (int c = 0; c < 8; c++) {
                    wiring.cable(middle[c / 2], cores[c], 1);
                }
                for (int leaf = 0; leaf < 4; leaf++) {
                    int node = wiring.node();
                    for (int m : middle) {
                        wiring.cable(node, m, 1);
                    }
                    for (int h = 0; h < 8; h++) {
                        wiring.device(node, "p" + pod + "l" + leaf + "h" + h, "mlx5_" + plane);
                    }
                }
            }
        }
        FabricModel model = assertTree(wiring, "4x4x8", 4);
        assertThat(model.planes()).hasSize(2);
        assertThat(model.shapes().getLast().sizes()).startsWith(4, 4);
    }

    @Property(seed = "20261121", tries = 200, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void treesOfFourLevelsAreRecognisedAlsoDamaged(
            @ForAll long seed,
            @ForAll @IntRange(min = 2, max = 4) int parts,
            @ForAll @IntRange(min = 2, max = 4) int pods,
            @ForAll @IntRange(min = 2, max = 4) int leaves,
            @ForAll @IntRange(max = 8) int percentMissing) {
        Wiring wiring = new Wiring(seed);
        int[] tops = wiring.nodes(8);
        for (int part = 0; part < parts; part++) {
            int[] cores = wiring.nodes(8);
            for (int c = 0; c < cores.length; c++) {
                wiring.cable(cores[c], tops[c], 2).cable(cores[c], tops[(c + 1) % 8], 2);
            }
            for (int pod = 0; pod < pods; pod++) {
                int[] middle = wiring.nodes(4);
                for (int c = 0; c < cores.length; c++) {
                    wiring.cable(middle[c / 2], cores[c], 2);
                }
                for (int leaf = 0; leaf < leaves; leaf++) {
                    int node = wiring.node();
                    for (int m : middle) {
                        wiring.cable(node, m, 2);
                    }
                    hosts(wiring, 3, node);
                }
            }
        }
        Topology topology = wiring.withoutCables(percentMissing / 100.0).topology();
        Classification found = Classifier.classify(topology);
        ClassificationContract.assertHolds(topology, found);
        CoordinateContract.assertHolds(topology, found);
        assertThat(found.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(found.axes()).hasNumberOfRows(3);
        assertThat(found.groups()).isEqualTo(parts);
    }

    private static FabricModel assertTree(Wiring wiring, String shape, int groups) {
        Topology topology = wiring.topology();
        Classification found = Classifier.classify(topology);
        ClassificationContract.assertHolds(topology, found);
        CoordinateContract.assertHolds(topology, found);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(model.defaultShape().string()).isEqualTo(shape);
        assertThat(model.groups()).isEqualTo(groups);
        return model;
    }

    private static void hosts(Wiring wiring, int count, int... nodes) {
        for (int node : nodes) {
            for (int h = 0; h < count; h++) {
                wiring.device(node, "n" + node + "h" + h, "mlx5_0");
            }
        }
    }

    private static int[] chain(Wiring wiring, int from, int length) {
        int[] nodes = wiring.nodes(length);
        int at = from;
        for (int node : nodes) {
            wiring.cable(at, node, 1);
            at = node;
        }
        return nodes;
    }

    /** Nine inner spines, then eighteen line switches. */
    private static Wiring director(long seed) {
        Wiring wiring = new Wiring(seed);
        int[] inner = wiring.nodes(9);
        for (int line : wiring.nodes(18)) {
            for (int spine : inner) {
                wiring.cable(line, spine, 2);
            }
        }
        return wiring;
    }

    /** A leaf that is new in a damaged unit takes the next free number, whatever the number of rails was. */
    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 128, 60_000})
    void aSpineOfTwoRailsIsOfNoPlaneHoweverHighTheirNumbers(int high) {
        Topology topology = Wiring.rails(1, 3, 2, 6, 4, 2).topology();
        int[] rail = new int[topology.switches()];
        Arrays.fill(rail, -1);
        for (int end = 0; end < topology.ends(); end++) {
            rail[topology.endSwitch(end)] = "mlx5_1".equals(topology.endOsName(end)) ? high : 0;
        }
        int[] levels = BreadthFirst.levels(topology, s -> rail[s] >= 0);
        assertThat(RailRecognizer.planes(topology, levels, rail)).isEqualTo(rail);
    }
}
