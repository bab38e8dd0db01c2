/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.testdata.Dump;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeafIslandsTest {
    /** A table of cables, switch by switch. */
    private static final class Cables {
        private final List<String[]> cables = new ArrayList<>();

        Cables add(String one, String other) {
            cables.add(new String[] {one, other});
            return this;
        }

        Cables hosts(String at, int count) {
            for (int host = 0; host < count; host++) {
                add(at, "h-" + at + "-" + host + "/mlx5_0");
            }
            return this;
        }

        /** Leaves {@code l0} and up, each with eight hosts, below two spines. */
        Cables leaves(int count) {
            for (int leaf = 0; leaf < count; leaf++) {
                add("l" + leaf, "s0").add("l" + leaf, "s1").hosts("l" + leaf, 8);
            }
            return this;
        }

        /** Pods of leaves {@code p0l0} and up with eight hosts each below two spines, and core switches above. */
        Cables pods(int cores, int... leavesOfPod) {
            for (int pod = 0; pod < leavesOfPod.length; pod++) {
                for (int spine = 0; spine < 2; spine++) {
                    for (int leaf = 0; leaf < leavesOfPod[pod]; leaf++) {
                        add("p" + pod + "l" + leaf, "p" + pod + "s" + spine);
                    }
                    for (int core = 0; core < cores; core++) {
                        add("p" + pod + "s" + spine, "core" + core);
                    }
                }
                for (int leaf = 0; leaf < leavesOfPod[pod]; leaf++) {
                    hosts("p" + pod + "l" + leaf, 8);
                }
            }
            return this;
        }

        FabricModel model() {
            return model(Map.of());
        }

        FabricModel model(Map<String, String> renamed) {
            String table = cables.stream()
                    .map(cable -> renamed.getOrDefault(cable[0], cable[0]) + ","
                            + renamed.getOrDefault(cable[1], cable[1]) + "\n")
                    .collect(Collectors.joining("", "from,to\n", ""));
            return read(table);
        }

        private static FabricModel read(String table) {
            try {
                return OfflineFabrics.of(CablesReader.read("t", new StringReader(table)))
                        .getFirst()
                        .model();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static List<LeafIslands.Island> islands(FabricModel model) {
        assertThat(model.kind()).isIn(FabricKind.FatTree, FabricKind.RailOptimized);
        return LeafIslands.of(model.topology(), model.classification());
    }

    private static Cables behindALeafOfTwoLevels() {
        return new Cables().leaves(6).add("l3", "island").hosts("island", 8);
    }

    @Test
    void hostsBehindALeafAreCounted() {
        assertThat(islands(behindALeafOfTwoLevels().model())).containsExactly(new LeafIslands.Island("l3", 1, 8));
        assertThat(islands(new Cables()
                        .pods(4, 2, 2, 2, 2)
                        .add("p1l1", "island")
                        .hosts("island", 2)
                        .model()))
                .containsExactly(new LeafIslands.Island("p1l1", 1, 2));
    }

    /** Each of its leaves has two ways to the other leaf. */
    private static Cables treeBehind(Cables cables, String leaf) {
        for (int spine = 0; spine < 2; spine++) {
            cables.add(leaf, "is" + spine);
            for (int own = 0; own < 2; own++) {
                cables.add("il" + own, "is" + spine);
            }
        }
        return cables.hosts("il0", 8).hosts("il1", 8);
    }

    @Test
    void aTreeBehindALeafIsOneIsland() {
        assertThat(islands(treeBehind(new Cables().leaves(8), "l3").model()))
                .containsExactly(new LeafIslands.Island("l3", 2, 16));
    }

    @Test
    void aTreeBehindALeafLeavesPodsWhatTheyAre() {
        FabricModel model = treeBehind(new Cables().pods(4, 3, 3, 3), "p1l1").model();
        assertThat(islands(model)).containsExactly(new LeafIslands.Island("p1l1", 2, 16));
        assertThat(new FabricQuery(model).groups().values())
                .extracting(List::size)
                .containsExactlyInAnyOrder(24, 40, 24);
    }

    /** Of thirteen leaves five are behind one: too many for something beside a tree. */
    private static Cables halfBehindALeaf() {
        Cables cables = new Cables().leaves(8);
        for (int spine = 0; spine < 2; spine++) {
            cables.add("l3", "is" + spine);
            for (int own = 0; own < 5; own++) {
                cables.add("il" + own, "is" + spine);
            }
        }
        for (int own = 0; own < 5; own++) {
            cables.hosts("il" + own, 8);
        }
        return cables;
    }

    @Test
    void tooMuchBehindALeafForATreeIsSaid() {
        FabricModel model = halfBehindALeaf().model();
        assertThat(model.kind()).isEqualTo(FabricKind.Irregular);
        assertThat(model.unresolved()).hasSize(2);
        assertThat(model.unresolved().getFirst())
                .startsWith("17 switches have no pattern that is known")
                .endsWith("; without what is behind single leaves the rest is a FatTree");
        assertThat(model.unresolved().getLast())
                .startsWith("40 hosts on 5 switches are behind leaf l3, and nothing else joins them to the others")
                .contains("'kubectl fabric links l3'");
    }

    @Test
    void manyIslandsAreSaidInABoundedNumberOfSentences() {
        Cables cables = new Cables().leaves(60);
        for (int island = 0; island < 9; island++) {
            cables.add("l" + island, "island" + island).hosts("island" + island, 3);
        }
        assertThat(cables.model().unresolved())
                .hasSize(5)
                .last()
                .asString()
                .startsWith("so are hosts behind 5 more leaves; 'kubectl fabric links l0' ");
    }

    @Test
    void anIrregularFabricSaysThatItIs() {
        Cables cables = new Cables();
        int[][] joined = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}, {1, 4}, {5, 6}, {6, 0}, {6, 7}, {7, 2}
        };
        for (int[] pair : joined) {
            cables.add("x" + pair[0], "x" + pair[1]);
        }
        for (int s = 0; s < 8; s++) {
            cables.hosts("x" + s, 2);
        }
        FabricModel model = cables.model();
        assertThat(model.kind()).isEqualTo(FabricKind.Irregular);
        assertThat(model.unresolved())
                .containsExactly(
                        "8 switches have no pattern that is known, so that groups are of single switches with"
                                + " hosts, or of those that hosts join; costs and paths are right; cables that what was read"
                                + " lacks may be why",
                        "no tree: 12 of 12 cabled pairs of switches both have hosts, and leaves are cabled to spines alone",
                        "no torus, mesh or HyperX: no more than 4 of 8 switches have a place in one grid",
                        "no dragonfly: the likeliest division of 8 switches into 2 groups may be chance");
    }

    @Test
    void whatHasAPatternSaysNothing() {
        assertThat(new Cables().leaves(6).model().unresolved()).isEmpty();
        assertThat(new Cables().pods(4, 3, 3, 3).model().unresolved()).isEmpty();
    }

    @Test
    void whatIsBehindAnIslandIsOfIt() {
        assertThat(islands(behindALeafOfTwoLevels()
                        .add("island", "further")
                        .hosts("further", 4)
                        .model()))
                .containsExactly(new LeafIslands.Island("l3", 2, 12));
    }

    @Test
    void islandsWithMostHostsComeFirst() {
        assertThat(islands(behindALeafOfTwoLevels()
                        .add("l4", "more")
                        .hosts("more", 9)
                        .model()))
                .containsExactly(new LeafIslands.Island("l4", 1, 9), new LeafIslands.Island("l3", 1, 8));
    }

    @Test
    void nothingIsSaidOfLeavesThatAreOnlyJoinedUpwards() {
        assertThat(islands(new Cables().leaves(6).model())).isEmpty();
        assertThat(islands(new Cables()
                        .leaves(6)
                        .add("s0", "service")
                        .hosts("service", 3)
                        .model()))
                .isEmpty();
        assertThat(islands(new Cables().leaves(6).add("l3", "empty").model())).isEmpty();
    }

    /** What is behind a core switch with hosts, the only one, is a pod. */
    @Test
    void podsOfUnequalSizeAreNoIslands() {
        assertThat(islands(new Cables().pods(1, 8, 3).hosts("core0", 2).model()))
                .isEmpty();
    }

    /** Levels of a wiring without cycles are told from its middle. */
    @Test
    void levelsThatAreKeptAreNotCalledFlattened() {
        Cables cables = new Cables();
        for (int branch = 0; branch < 4; branch++) {
            cables.add("root", "b" + branch).hosts("b" + branch, 8);
        }
        cables.add("b1", "tip").hosts("tip", 8);
        assertThat(islands(cables.model())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void namesPlayNoPart(long seed) {
        Cables cables = new Cables().pods(4, 3, 3, 3).add("p1l1", "isp");
        for (int leaf = 0; leaf < 2; leaf++) {
            cables.add("isp", "il" + leaf).hosts("il" + leaf, 5);
        }
        List<String> names = new ArrayList<>(cables.cables.stream()
                .flatMap(cable -> IntStream.range(0, 2).mapToObj(i -> cable[i]))
                .filter(name -> !name.contains("/"))
                .distinct()
                .toList());
        List<String> others = new ArrayList<>(names);
        Collections.shuffle(others, new Random(seed));
        Map<String, String> renamed = new HashMap<>();
        names.forEach(name -> renamed.put(name, others.get(renamed.size())));
        assertThat(islands(cables.model(renamed)))
                .containsExactly(new LeafIslands.Island(Objects.requireNonNull(renamed.get("p1l1")), 2, 10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stor-low", "dgx-stor-low", "core-hosts", "gateways-on-one-core", "gateways-on-each-core"})
    void reportedTreesHaveNone(String name) {
        FabricModel model =
                Cables.read(new String(Dump.bytes("reported/handed-on/" + name + ".csv"), StandardCharsets.UTF_8));
        assertThat(islands(model)).isEmpty();
    }
}
