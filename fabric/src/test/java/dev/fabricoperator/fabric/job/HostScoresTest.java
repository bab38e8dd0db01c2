/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.job.HostScores.Placed;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HostScoresTest {
    static Stream<FabricModel> fabrics() {
        return Stream.of(
                        Wiring.twoLevels(1, 12, 4, 5, 2),
                        Wiring.threeLevels(2, 4, 3, 2, 2, 3, 1),
                        Wiring.threeLevels(3, 4, 3, 2, 2, 3, 1).withoutCables(0.1),
                        Wiring.rails(4, 4, 4, 8, 4, 1),
                        Lattices.torus(5, 2, 1, 7, 5, 4),
                        Wiring.random(6, 15, 14, 40))
                .map(wiring -> FabricModel.of(wiring.switches(), wiring.vertices()));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aHostThatIsNearerToThePlacedPartsNeverHasALowerScore(FabricModel model) {
        Random random = new Random(1);
        Map<String, List<Integer>> slots = slotsOfHost(model);
        for (int round = 0; round < 20; round++) {
            List<String> hosts = shuffled(slots.keySet(), random);
            List<String> placed = hosts.subList(0, 3);
            Map<String, Integer> scores = scores(model).of(hosts, exactly(placed), 1 + random.nextInt(6));
            for (String one : hosts) {
                for (String other : hosts) {
                    if (cost(model, slots, one, placed) < cost(model, slots, other, placed)) {
                        assertThat(scores.get(one)).as(one + ", " + other).isGreaterThanOrEqualTo(scores.get(other));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void theOrderOfHostsAndOfPlacedPartsDoesNotMatter(FabricModel model) {
        Random random = new Random(2);
        HostScores scores = scores(model);
        for (int round = 0; round < 20; round++) {
            List<String> hosts = shuffled(slotsOfHost(model).keySet(), random);
            List<String> some = hosts.subList(0, hosts.size() * 2 / 3);
            List<String> placed = hosts.subList(hosts.size() - round % 5, hosts.size());
            Map<String, Integer> before = scores.of(some, exactly(placed), 4);
            assertThat(scores.of(shuffled(some, random), exactly(placed.reversed()), 4))
                    .isEqualTo(before);
            assertThat(before.values()).allMatch(score -> score >= 1 && score <= HostScores.HIGHEST);
            assertThat(before.values()).contains(HostScores.HIGHEST);
        }
    }

    @Test
    void aJobIsInOneCliqueWhereItFitsAndNearItWhereItDoesNot() {
        FabricModel model = model(Wiring.threeLevels(1, 2, 2, 2, 2, 4, 1));
        List<String> hosts = List.copyOf(slotsOfHost(model).keySet());
        // A clique across two leaves of one pod, and one within a leaf.
        Map<String, String> cliques =
                Map.of("p0l0h0", "a", "p0l0h1", "a", "p0l1h0", "a", "p0l1h1", "a", "p1l0h0", "b", "p1l0h1", "b");
        HostScores scores = new HostScores(model, slot -> host(model, slot), new HostScores.Cliques(cliques, 2));
        assertThat(highest(scores.of(hosts, List.of(), 4))).containsExactly("p0l0h0", "p0l0h1", "p0l1h0", "p0l1h1");
        assertThat(highest(scores.of(hosts, List.of(), 2))).containsExactly("p1l0h0", "p1l0h1");
        List<String> free = new ArrayList<>(hosts);
        free.remove("p0l0h0");
        assertThat(highest(scores.of(free, exactly(List.of("p0l0h0")), 3)))
                .as("of the clique, also behind another leaf")
                .containsExactly("p0l0h1", "p0l1h0", "p0l1h1");
        free.removeAll(List.of("p0l0h1", "p0l1h0", "p0l1h1"));
        assertThat(highest(scores.of(free, exactly(List.of("p0l0h0")), 1)))
                .as("none of the clique is left: of the leaf")
                .containsExactly("p0l0h2", "p0l0h3");
    }

    @Test
    void hostsInNoCliqueCountOnceInTheirLeaf() {
        FabricModel model = model(Wiring.threeLevels(1, 2, 2, 2, 2, 4, 1));
        List<String> free = new ArrayList<>(slotsOfHost(model).keySet());
        free.removeAll(List.of("p0l0h0", "p0l0h1", "p0l1h3"));
        HostScores scores =
                new HostScores(model, slot -> host(model, slot), new HostScores.Cliques(Map.of("p1l1h0", "c"), 2));
        assertThat(highest(scores.of(free, List.of(), 3)))
                .as("two are free in the first leaf, three in the second")
                .containsExactly("p0l1h0", "p0l1h1", "p0l1h2");
    }

    private static List<String> highest(Map<String, Integer> scores) {
        return scores.entrySet().stream()
                .filter(score -> score.getValue() == HostScores.HIGHEST)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    @Test
    void aLeafThatIsJustLargeEnoughGoesBeforeAnEmptyOne() {
        FabricModel model = model(Wiring.threeLevels(1, 2, 2, 2, 2, 4, 1));
        // Two hosts are free below p0l1, three below p1l0, and four below the others.
        List<String> free = new ArrayList<>(slotsOfHost(model).keySet());
        free.removeAll(List.of("p0l1h0", "p0l1h1", "p1l0h3"));
        assertThat(best(model, free, List.of(), 2)).containsExactly("p0l1h2", "p0l1h3");
        assertThat(best(model, free, List.of(), 3)).containsExactly("p1l0h0", "p1l0h1", "p1l0h2");
        // No leaf has room for five: the pod with fewer free hosts has, and begins with its largest leaf.
        assertThat(best(model, free, List.of(), 5)).containsExactly("p0l0h0", "p0l0h1", "p0l0h2", "p0l0h3");
    }

    @Test
    void thePartsThatFollowFillTheLeafOfTheFirst() {
        FabricModel model = model(Wiring.threeLevels(1, 2, 2, 2, 2, 4, 1));
        List<String> free = new ArrayList<>(slotsOfHost(model).keySet());
        free.remove("p1l1h2");
        assertThat(best(model, free, List.of(new Placed("p1l1h2", true)), 3))
                .containsExactly("p1l1h0", "p1l1h1", "p1l1h3");
        // Nobody knows yet on which host of the leaf the part is.
        assertThat(best(model, free, List.of(new Placed("p1l1h0", false)), 3))
                .containsExactly("p1l1h0", "p1l1h1", "p1l1h3");
        // A host that has a part already is nearer than any other.
        assertThat(best(model, free, List.of(new Placed("p1l1h0", true)), 3)).containsExactly("p1l1h0");
        // The leaf is full: the other one of its pod follows.
        free.removeIf(host -> host.startsWith("p1l1"));
        assertThat(best(model, free, List.of(new Placed("p1l1h2", true)), 1))
                .containsExactly("p1l0h0", "p1l0h1", "p1l0h2", "p1l0h3");
    }

    @Test
    void aHostThatTheFabricDoesNotHaveHasZero() {
        FabricModel model = model(Wiring.twoLevels(1, 3, 2, 2, 1));
        String known = slotsOfHost(model).keySet().iterator().next();
        assertThat(scores(model).of(List.of("foreign", known), exactly(List.of("elsewhere")), 1))
                .isEqualTo(Map.of("foreign", 0, known, HostScores.HIGHEST));
    }

    static Stream<Wiring> halfBusy() {
        return Stream.of(
                Wiring.twoLevels(1, 16, 4, 16, 1),
                Wiring.threeLevels(1, 4, 6, 2, 2, 12, 1),
                Wiring.rails(1, 8, 4, 16, 2, 1));
    }

    /** Against hosts at random, as a scheduler chooses that knows no fabric, and against the best that a search finds. */
    @ParameterizedTest
    @MethodSource("halfBusy")
    void partsThatFollowEachOtherComeNearTheBestOnHalfBusyFabrics(Wiring wiring) {
        FabricModel model = model(wiring);
        HostScores scores = scores(model);
        Map<String, List<Integer>> slots = slotsOfHost(model);
        List<Double> closed = new ArrayList<>();
        for (int seed = 1; seed <= 20; seed++) {
            List<String> hosts = shuffled(slots.keySet(), new Random(seed));
            List<String> free = hosts.subList(0, hosts.size() / 2);
            int parts = seed % 2 == 0 ? 8 : 24;
            double random = mean(model, slots, free.subList(0, parts));
            double best = BestPlacement.find(costs(model, slots, free), parts).mean();
            double ours = mean(model, slots, inTurn(scores, free, parts));
            closed.add((random - ours) / (random - best));
        }
        Collections.sort(closed);
        assertThat(closed.get(closed.size() / 2)).as("median of " + closed).isGreaterThanOrEqualTo(0.85);
        assertThat(closed.get(closed.size() / 10)).as("p90 of " + closed).isGreaterThanOrEqualTo(0.85);
    }

    private static List<String> inTurn(HostScores scores, List<String> free, int parts) {
        List<String> left = new ArrayList<>(free);
        List<String> placed = new ArrayList<>();
        while (placed.size() < parts) {
            String next = scores.of(left, exactly(placed), parts - placed.size()).entrySet().stream()
                    .filter(entry -> entry.getValue() == HostScores.HIGHEST)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow();
            left.remove(next);
            placed.add(next);
        }
        return placed;
    }

    private static double mean(FabricModel model, Map<String, List<Integer>> slots, List<String> hosts) {
        return PlacementCost.of(costs(model, slots, hosts)).mean();
    }

    private static PartCosts costs(FabricModel model, Map<String, List<Integer>> slots, List<String> hosts) {
        return new PartCosts(
                model.cost(),
                IntStream.range(0, hosts.size()).toArray(),
                hosts.stream()
                        .map(host -> slots.getOrDefault(host, List.of()).stream()
                                .mapToInt(Integer::intValue)
                                .toArray())
                        .toList());
    }

    private static List<String> best(FabricModel model, List<String> free, List<Placed> placed, int parts) {
        return scores(model).of(free, placed, parts).entrySet().stream()
                .filter(entry -> entry.getValue() == HostScores.HIGHEST)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static FabricModel model(Wiring wiring) {
        return FabricModel.of(wiring.switches(), wiring.vertices());
    }

    private static HostScores scores(FabricModel model) {
        return new HostScores(model, slot -> host(model, slot));
    }

    private static List<Placed> exactly(List<String> hosts) {
        return hosts.stream().map(host -> new Placed(host, true)).toList();
    }

    private static List<String> shuffled(Iterable<String> hosts, Random random) {
        List<String> all = new ArrayList<>();
        hosts.forEach(all::add);
        Collections.shuffle(all, random);
        return all;
    }

    /** Of all pairs, without what {@link HostScores} leaves out. */
    private static long cost(FabricModel model, Map<String, List<Integer>> slots, String host, List<String> placed) {
        long sum = 0;
        for (String other : placed) {
            int best = host.equals(other) ? 0 : CostMatrix.UNREACHABLE;
            for (int from : slots.getOrDefault(host, List.of())) {
                for (int to : slots.getOrDefault(other, List.of())) {
                    best = Math.min(best, model.cost().cost(from, to));
                }
            }
            sum += best;
        }
        return sum;
    }

    private static Map<String, List<Integer>> slotsOfHost(FabricModel model) {
        Map<String, List<Integer>> slots = new TreeMap<>();
        for (int slot = 0; slot < model.topology().slots(); slot++) {
            if (model.isUsed(slot) && model.cost().edgeSwitchOf(slot) >= 0) {
                slots.computeIfAbsent(host(model, slot), h -> new ArrayList<>()).add(slot);
            }
        }
        return slots;
    }

    private static String host(FabricModel model, int slot) {
        int end = model.topology().endOfSlot(slot);
        String host = model.topology().endHost(end);
        return host == null ? "H-" + model.topology().endId(end) : host;
    }
}
