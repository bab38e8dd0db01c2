/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.tier.TierTree.Vertex;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TierTreeTest {
    private static final String NAME = "ib";

    static Stream<FabricModel> fabrics() {
        List<FabricModel> models = new ArrayList<>();
        Dump.all().forEach(dump -> models.add(model(dump)));
        for (long seed = 1; seed <= 3; seed++) {
            models.add(model(Wiring.twoLevels(seed, 12, 4, 5, 2)));
            models.add(model(Wiring.threeLevels(seed, 4, 3, 2, 2, 3, 1)));
            models.add(model(Wiring.threeLevels(seed, 4, 3, 2, 2, 3, 1).withoutCables(0.1)));
            models.add(model(Wiring.rails(seed, 4, 4, 8, 4, 1)));
            models.add(model(Lattices.torus(seed, 2, 1, 7, 5, 4)));
            models.add(model(Lattices.mesh(seed, 1, 1, 5, 4)));
            models.add(model(Lattices.hyperX(seed, 2, 1, 5, 4, 4)));
            models.add(model(Dragonflies.canonical(seed, 9, 4, 2, 2, 1, Dragonflies.Arrangement.ABSOLUTE)));
            models.add(model(Dragonflies.plus(seed, 5, 4, 4, 1, 3, 1)));
            models.add(model(Lattices.regular(seed, 20, 4, 2)));
            models.add(model(Wiring.random(seed, 15, 14, 40)));
        }
        return models.stream();
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void whatIsBelowTheWholeIsCalledAfterAKnownTier(FabricModel model) {
        int highest =
                tree(model).vertices().stream().mapToInt(Vertex::tier).max().orElse(0);
        assertThat(tree(model).vertices())
                .filteredOn(vertex -> vertex.tier() < highest)
                .extracting(Vertex::tierName)
                .allMatch(Tiers::isTierName);
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void eachHostThatIsReachedIsInOneVertexOfTheLowestTier(FabricModel model) {
        TierTree tree = tree(model);
        List<String> placed =
                tree.vertices().stream().flatMap(v -> v.hosts().stream()).toList();
        assertThat(placed).doesNotHaveDuplicates().noneMatch(tree.unplaced()::contains);
        Set<String> all = new HashSet<>(placed);
        all.addAll(tree.unplaced());
        assertThat(all).isEqualTo(slotsOfHost(model).keySet());
        assertThat(tree.vertices().stream().filter(v -> !v.hosts().isEmpty()).map(Vertex::tier))
                .as("one tier holds the hosts")
                .allMatch(tier -> tier == tree.vertices().getFirst().tier());
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void itIsATreeWithoutIdleVertices(FabricModel model) {
        TierTree tree = tree(model);
        Map<String, Vertex> seen = new HashMap<>();
        Set<String> haveParent = new HashSet<>();
        Map<String, Integer> tierOfName = new HashMap<>();
        for (Vertex vertex : tree.vertices()) {
            assertThat(vertex.hosts().isEmpty()).isNotEqualTo(vertex.below().isEmpty());
            assertThat(vertex.below()).isSorted();
            assertThat(vertex.below().size() == 1 && !vertex.tierName().equals(NAME))
                    .isFalse();
            assertThat(vertex.hosts()).isSorted();
            for (String below : vertex.below()) {
                assertThat(Objects.requireNonNull(seen.get(below)).tier()).isLessThan(vertex.tier());
                assertThat(haveParent.add(below)).isTrue();
            }
            assertThat(seen.put(vertex.name(), vertex)).isNull();
            assertThat(tierOfName.merge(vertex.tierName(), vertex.tier(), (a, b) -> b))
                    .isEqualTo(vertex.tier());
            assertThat(vertex.name()).startsWith(NAME);
        }
        // As many trees as there are parts that hold hosts.
        assertThat(seen.keySet().stream().filter(v -> !haveParent.contains(v)))
                .hasSizeBetween(tree.vertices().isEmpty() ? 0 : 1, Math.max(1, model.partitions()));
        TreeMap<Integer, List<Vertex>> tiers = new TreeMap<>();
        tree.vertices()
                .forEach(v ->
                        tiers.computeIfAbsent(v.tier(), t -> new ArrayList<>()).add(v));
        int whole = tree.vertices().isEmpty() ? 0 : tree.vertices().getLast().tier();
        assertThat(tree.vertices())
                .allMatch(
                        vertex -> (vertex.tier() == whole) == vertex.tierName().equals(NAME));
        tiers.headMap(whole)
                .forEach((tier, vertices) -> assertThat(vertices)
                        .as("tier " + tier)
                        .anyMatch(v -> v.hosts().size() > 1 || v.below().size() > 1));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void hostsOfOneTreeReachEachOther(FabricModel model) {
        TierTree tree = tree(model);
        Map<String, Set<String>> below = below(tree);
        NodeCosts costs = costs(model);
        List<String> names = List.copyOf(slotsOfHost(model).keySet());
        // Where a host is in two parts that no cable joins, it may be the only one that reaches both.
        boolean maybeApart = model.cost().edgeSwitches() > 1
                && slotsOfHost(model).values().stream().anyMatch(slots -> slots.size() > 1)
                && IntStream.range(1, model.cost().edgeSwitches())
                        .anyMatch(edge -> model.cost().edgeCost(0, edge) == CostMatrix.UNREACHABLE);
        for (Set<String> hosts : below.values()) {
            List<String> some = hosts.stream().sorted().limit(12).toList();
            for (String one : some) {
                for (String other : hosts) {
                    int cost = costs.cost(Collections.binarySearch(names, one), Collections.binarySearch(names, other));
                    assertThat(maybeApart || cost < CostMatrix.UNREACHABLE).isTrue();
                }
            }
        }
    }

    static Stream<FabricModel> trees() {
        return Stream.of(
                model(Wiring.twoLevels(7, 16, 4, 8, 1)),
                model(Wiring.threeLevels(7, 5, 4, 2, 2, 3, 1)),
                model(Wiring.rails(7, 4, 4, 8, 4, 1)),
                model(Dump.simulated("ft2-128")),
                model(Dump.simulated("ft3-k18")),
                model(Dump.simulated("rail-32x8")));
    }

    /** Whoever is nearer in the tree is cheaper to reach, and whoever is as near costs the same. */
    @ParameterizedTest
    @MethodSource("trees")
    void theTiersOfAFatTreeAreItsCosts(FabricModel model) {
        TierTree tree = tree(model);
        NodeCosts costs = costs(model);
        List<String> names = List.copyOf(slotsOfHost(model).keySet());
        Map<Integer, Set<Integer>> costsOfTier = new TreeMap<>();
        Map<String, List<Vertex>> above = above(tree);
        Random random = new Random(5);
        for (int pair = 0; pair < 20_000; pair++) {
            int one = random.nextInt(names.size());
            int other = random.nextInt(names.size());
            if (one != other) {
                costsOfTier
                        .computeIfAbsent(meeting(above, names.get(one), names.get(other)), t -> new TreeSet<>())
                        .add(costs.cost(one, other));
            }
        }
        int before = 0;
        for (Set<Integer> ofTier : costsOfTier.values()) {
            assertThat(ofTier)
                    .singleElement()
                    .satisfies(cost -> assertThat(cost).isPositive());
            int cost = ofTier.iterator().next();
            assertThat(cost).isGreaterThan(before);
            before = cost;
        }
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aHostThatLeavesChangesItsOwnVertexOnly(FabricModel model) {
        TierTree before = tree(model);
        Random random = new Random(11);
        for (int i = 0; i < 5 && !before.vertices().isEmpty(); i++) {
            List<Vertex> homes =
                    before.vertices().stream().filter(v -> v.hosts().size() > 2).toList();
            assumeFalse(homes.isEmpty(), "no vertex has more than two hosts");
            Vertex home = homes.get(random.nextInt(homes.size()));
            String gone = home.hosts().get(random.nextInt(home.hosts().size()));
            TierTree after = TierTree.of(model, NAME, slot -> {
                String host = host(model, slot);
                return gone.equals(host) ? null : host;
            });
            if (parts(after) != parts(before)) {
                // What the host alone joined is apart without it.
                continue;
            }
            Map<String, Vertex> left = byName(after);
            for (Vertex vertex : before.vertices()) {
                Vertex now = Objects.requireNonNull(left.remove(vertex.name()));
                if (vertex == home) {
                    List<String> others = new ArrayList<>(vertex.hosts());
                    others.remove(gone);
                    assertThat(now).isEqualTo(new Vertex(home.name(), home.tier(), home.tierName(), List.of(), others));
                } else {
                    assertThat(now).isEqualTo(vertex);
                }
            }
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void theOrderOfRecordsChangesNothing(FabricModel model) {
        assertThat(tree(model).vertices())
                .isEqualTo(tree(model).vertices())
                .isSortedAccordingTo(Comparator.comparingInt(Vertex::tier).thenComparing(Vertex::name));
        Wiring wiring = Wiring.threeLevels(3, 4, 3, 2, 2, 3, 1);
        List<Switch> shuffled = new ArrayList<>(wiring.switches());
        Collections.shuffle(shuffled, new Random(2));
        assertThat(tree(FabricModel.of(shuffled, wiring.vertices())).vertices())
                .isEqualTo(tree(model(wiring)).vertices());
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void eachHostHasAPlaceAtEveryTier(FabricModel model) {
        TierTree tree = tree(model);
        Map<String, List<Vertex>> above = above(tree);
        var places = tree.placesOfHosts();
        assertThat(places.keySet()).isEqualTo(above.keySet());
        int lowest = tree.vertices().isEmpty() ? 0 : tree.vertices().getFirst().tier();
        int whole = tree.vertices().isEmpty() ? -1 : tree.vertices().getLast().tier();
        places.forEach((host, place) -> {
            assertThat(place.keySet())
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(lowest, whole).boxed().toList());
            place.forEach((tier, name) -> assertThat(name)
                    .as("the highest vertex up to tier %s", tier)
                    .isEqualTo(above.getOrDefault(host, List.of()).stream()
                            .filter(v -> v.tier() <= tier)
                            .toList()
                            .getLast()
                            .name()));
        });
    }

    @Test
    void theLeafStandsForThePodThatHasNoOther() {
        FabricModel model = model(Wiring.threeLevels(1, 2, 2, 2, 2, 2, 1));
        TierTree tree = TierTree.of(model, NAME, slot -> {
            String host = host(model, slot);
            return host.startsWith("p0l1") ? null : host;
        });
        assertThat(tree.placesOfHosts().get("p0l0h0")).isEqualTo(Map.of(1, "ib-leaf-1-0", 2, "ib-leaf-1-0", 3, "ib"));
        assertThat(tree.placesOfHosts().get("p1l1h0")).isEqualTo(Map.of(1, "ib-leaf-0-0", 2, "ib-pod-0", 3, "ib"));
    }

    /** How many vertices the recorded fabrics need, by tier. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ib-ndr-dgx-topograph | RailOptimized, 193 hosts: {1 unit=8, 2 ib=1}",
                "ib-hdr-selene-storage | FatTree, 629 hosts: {1 leaf=38, 2 pod=4, 3 ib=1}",
                "ib-mixed-lab-nvidia | FatTree, 5 hosts: {1 leaf=1, 2 ib=1}",
                "ib-qdr-fdr10-rocket | FatTree, 144 hosts: {1 leaf=7, 2 ib=1}",
                "ib-qdr-ddr-psmn-x5 | FatTree, 89 hosts: {1 leaf=6, 2 ib=1}",
                "ft2-128 | FatTree, 128 hosts: {1 leaf=8, 2 ib=1}",
                "ft3-k18 | FatTree, 1458 hosts: {1 leaf=162, 2 pod=18, 3 ib=1}",
                "rail-32x8 | RailOptimized, 32 hosts: {1 unit=1, 2 ib=1}",
                "torus-6x6x6 | Torus, 432 hosts: {1 switch=216, 2 block-2=27, 3 block-4=7, 4 ib=1}",
                "df-a4p2h2 | Dragonfly, 72 hosts: {1 router=36, 2 group=9, 3 ib=1}"
            })
    void recordedFabrics(String name, String expected) {
        Dump dump = Dump.all().stream()
                .filter(d -> d.directory().endsWith("/" + name))
                .findFirst()
                .orElseThrow();
        FabricModel model = model(dump);
        TierTree tree = tree(model);
        Map<String, Integer> counts = new LinkedHashMap<>();
        tree.vertices().forEach(v -> counts.merge(v.tier() + " " + v.tierName(), 1, Integer::sum));
        assertThat(model.kind() + ", " + slotsOfHost(model).size() + " hosts: " + counts)
                .isEqualTo(expected);
    }

    @Test
    void aSmallFabricInFull() {
        assertThat(tree(model(Wiring.threeLevels(1, 2, 2, 2, 2, 2, 1))).vertices())
                .containsExactly(
                        leaf("0-0", "p1l1h0", "p1l1h1"),
                        leaf("0-1", "p1l0h0", "p1l0h1"),
                        leaf("1-0", "p0l0h0", "p0l0h1"),
                        leaf("1-1", "p0l1h0", "p0l1h1"),
                        new Vertex("ib-pod-0", 2, "pod", List.of("ib-leaf-0-0", "ib-leaf-0-1"), List.of()),
                        new Vertex("ib-pod-1", 2, "pod", List.of("ib-leaf-1-0", "ib-leaf-1-1"), List.of()),
                        new Vertex("ib", 3, "ib", List.of("ib-pod-0", "ib-pod-1"), List.of()));
    }

    @Test
    void aThousandNodesNeedFiftySixVertices() {
        assertThat(tree(model(Wiring.threeLevels(2, 5, 10, 4, 4, 20, 1))).vertices())
                .hasSize(50 + 5 + 1);
    }

    private static Vertex leaf(String numbers, String... hosts) {
        return new Vertex("ib-leaf-" + numbers, 1, "leaf", List.of(), List.of(hosts));
    }

    @Test
    void aDrainedLeafTakesItsHostsOutAndTouchesNothingElse() {
        Wiring wiring = Wiring.threeLevels(1, 3, 2, 2, 2, 2, 1);
        FabricModel model = model(wiring);
        Vertex leaf = tree(model).vertices().getFirst();
        String at = Objects.requireNonNull(switchOf(model, leaf.hosts().getFirst()));
        TierTree drained = tree(FabricModel.of(
                wiring.switches(),
                wiring.vertices(),
                new ModelOptions(model.numbering(), new Weights(Set.of(at), Set.of(), false, Map.of())),
                model));
        assertThat(drained.unplaced()).isEqualTo(leaf.hosts());
        Map<String, Vertex> before = byName(tree(model));
        assertThat(drained.vertices()).noneMatch(v -> v.name().equals(leaf.name()));
        // The pod had two leaves: the other one now stands for it.
        assertThat(drained.vertices().stream().filter(v -> !v.equals(before.get(v.name()))))
                .extracting(Vertex::name)
                .containsExactly(NAME);
    }

    @Test
    void aPartThatIsCutOffIsATreeOfItsOwn() {
        Wiring wiring = new Wiring(4);
        for (int part = 0; part < 2; part++) {
            int[] spines = wiring.nodes(2);
            for (int leaf = 0; leaf < 3 - part; leaf++) {
                int node = wiring.node();
                for (int spine : spines) {
                    wiring.cable(node, spine, 1);
                }
                for (int h = 0; h < 3; h++) {
                    wiring.device(node, "p" + part + "l" + leaf + "h" + h, "mlx5_0");
                }
            }
        }
        TierTree tree = tree(model(wiring));
        assertThat(below(tree).entrySet().stream()
                        .filter(e -> e.getKey().equals(NAME) || e.getKey().startsWith(NAME + "-part")))
                .extracting(e -> e.getValue().size())
                .containsExactlyInAnyOrder(9, 6);
    }

    @Test
    void aTierAtWhichEveryHostIsAloneIsLeftOut() {
        TierTree tree = tree(model(Lattices.torus(3, 1, 1, 4, 4, 4)));
        assertThat(tree.vertices().stream().map(v -> v.tier() + v.tierName()).distinct())
                .containsExactly("2block-2", "3" + NAME);
        assertThat(tree.vertices()).hasSize(9);
        assertThat(tree.vertices().getFirst().hosts()).hasSize(8);
    }

    /** What Slurm's file divides a torus into, compared with blocks of as many switches. */
    @Test
    void blocksOfATorusAreTighterThanItsRowsAndLayers() {
        FabricModel model = model(Lattices.torus(3, 1, 1, 8, 8, 8));
        Map<Integer, Map<String, Set<String>>> slabs = new TreeMap<>();
        slotsOfHost(model).forEach((host, slots) -> {
            int[][] axes = model.classification().axes();
            int at = model.topology().endSwitch(model.topology().endOfSlot(slots.getFirst()));
            slabs.computeIfAbsent(64, size -> new TreeMap<>())
                    .computeIfAbsent("layer " + axes[0][at], layer -> new HashSet<>())
                    .add(host);
            slabs.computeIfAbsent(8, size -> new TreeMap<>())
                    .computeIfAbsent("row " + axes[0][at] + "-" + axes[1][at], row -> new HashSet<>())
                    .add(host);
        });
        for (int size : List.of(8, 64)) {
            double blocks = below(tree(model)).values().stream()
                    .filter(hosts -> hosts.size() == size)
                    .mapToDouble(hosts -> meanCost(model, hosts))
                    .average()
                    .orElseThrow();
            assertThat(slabs.getOrDefault(size, Map.of()).values())
                    .allSatisfy(hosts -> assertThat(hosts).hasSize(size))
                    .allSatisfy(hosts -> assertThat(meanCost(model, hosts)).isGreaterThan(blocks));
        }
    }

    private static double meanCost(FabricModel model, Set<String> hosts) {
        NodeCosts costs = costs(model);
        List<String> names = List.copyOf(slotsOfHost(model).keySet());
        int[] numbers = hosts.stream().mapToInt(names::indexOf).toArray();
        return Arrays.stream(numbers)
                .flatMap(one ->
                        Arrays.stream(numbers).filter(other -> other != one).map(other -> costs.cost(one, other)))
                .average()
                .orElseThrow();
    }

    @Test
    void withoutASwitchThereIsNoTree() {
        FabricModel flat = FabricModel.of(
                List.of(),
                List.of(new dev.fabricoperator.fabric.topology.Vertex(0, "0002c90300000001", 1, "n1", "mlx5_0")));
        assertThat(flat.kind()).isEqualTo(FabricKind.Flat);
        assertThat(tree(flat).vertices()).isEmpty();
        assertThat(tree(flat).unplaced()).containsExactly("n1");
    }

    private static long parts(TierTree tree) {
        int highest = tree.vertices().getLast().tier();
        return tree.vertices().stream()
                .filter(vertex -> vertex.tier() == highest)
                .count();
    }

    private static TierTree tree(FabricModel model) {
        return TierTree.of(model, NAME, slot -> host(model, slot));
    }

    private static String host(FabricModel model, int slot) {
        Topology topology = model.topology();
        int end = topology.endOfSlot(slot);
        String host = topology.endHost(end);
        return host == null ? "H-" + topology.endId(end) : host;
    }

    private static FabricModel model(Dump dump) {
        return OfflineFabrics.of(dump.cabling()).getFirst().model();
    }

    private static FabricModel model(Wiring wiring) {
        return FabricModel.of(wiring.switches(), wiring.vertices());
    }

    private static TreeMap<String, List<Integer>> slotsOfHost(FabricModel model) {
        TreeMap<String, List<Integer>> slots = new TreeMap<>();
        for (int slot = 0; slot < model.topology().slots(); slot++) {
            if (model.isUsed(slot)) {
                slots.computeIfAbsent(host(model, slot), h -> new ArrayList<>()).add(slot);
            }
        }
        return slots;
    }

    /** Nodes in the order of their names. */
    private static NodeCosts costs(FabricModel model) {
        return NodeCosts.of(
                model.cost(),
                slotsOfHost(model).values().stream()
                        .map(slots -> slots.stream().mapToInt(i -> i).toArray())
                        .toArray(int[][]::new));
    }

    private static String switchOf(FabricModel model, String host) {
        int slot = Objects.requireNonNull(slotsOfHost(model).get(host)).getFirst();
        return model.topology()
                .switchId(model.topology().endSwitch(model.topology().endOfSlot(slot)));
    }

    private static Map<String, Vertex> byName(TierTree tree) {
        Map<String, Vertex> byName = new TreeMap<>();
        tree.vertices().forEach(v -> byName.put(v.name(), v));
        return byName;
    }

    private static Map<String, Set<String>> below(TierTree tree) {
        Map<String, Set<String>> below = new LinkedHashMap<>();
        for (Vertex vertex : tree.vertices()) {
            Set<String> hosts = new HashSet<>(vertex.hosts());
            vertex.below().forEach(child -> hosts.addAll(below.getOrDefault(child, Set.of())));
            below.put(vertex.name(), hosts);
        }
        return below;
    }

    /** The vertices above each host, tiers ascending. */
    private static Map<String, List<Vertex>> above(TierTree tree) {
        Map<String, List<Vertex>> above = new HashMap<>();
        Map<String, Set<String>> below = below(tree);
        for (Vertex vertex : tree.vertices()) {
            below.getOrDefault(vertex.name(), Set.of())
                    .forEach(host ->
                            above.computeIfAbsent(host, h -> new ArrayList<>()).add(vertex));
        }
        return above;
    }

    private static int meeting(Map<String, List<Vertex>> above, String one, String other) {
        List<Vertex> ofOther = above.getOrDefault(other, List.of());
        return above.getOrDefault(one, List.of()).stream()
                .filter(ofOther::contains)
                .findFirst()
                .map(Vertex::tier)
                .orElse(Integer.MAX_VALUE);
    }
}
