/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobPlacementTest {
    private static CostMatrix matrix(Wiring wiring) {
        return FabricModel.of(wiring.switches(), wiring.vertices()).cost();
    }

    /** Some devices of a fabric, each a part on a host of its own, in an order that has nothing to do with the fabric. */
    private static PartCosts scattered(CostMatrix matrix, int count, long seed) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < matrix.vertices(); slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, new Random(seed));
        List<int[]> devices = new ArrayList<>();
        slots.subList(0, count).forEach(slot -> devices.add(new int[] {slot}));
        int[] hosts = new int[count];
        Arrays.setAll(hosts, i -> i);
        return new PartCosts(matrix, hosts, devices);
    }

    private static double inGivenOrder(PartCosts costs) {
        int[] order = new int[costs.parts()];
        Arrays.setAll(order, i -> i);
        return PlacementCost.betweenNeighbors(costs, order);
    }

    @Test
    void neighboursInATreeAreOnOneLeafWhereverTheyCanBe() {
        CostMatrix matrix = matrix(Wiring.twoLevels(1, 16, 4, 8, 1));
        PartCosts costs = scattered(matrix, 128, 7);

        int[] order = PartOrder.of(costs);

        // 16 leaves of 8: 15 steps lead from one leaf to another, and 112 stay on a leaf.
        int near = Integer.MAX_VALUE;
        int far = 0;
        for (int other = 1; other < 128; other++) {
            near = Math.min(near, costs.cost(0, other));
            far = Math.max(far, costs.cost(0, other));
        }
        assertThat(PlacementCost.betweenNeighbors(costs, order)).isEqualTo((112 * near + 15 * far) / 127.0);
        assertThat(inGivenOrder(costs)).isGreaterThan(1.5 * PlacementCost.betweenNeighbors(costs, order));
    }

    @Test
    void neighboursInATorusAreOneHopApartAlmostEverywhere() {
        CostMatrix matrix = matrix(Lattices.torus(3, 1, 1, 6, 6, 4));
        PartCosts costs = scattered(matrix, 144, 5);
        int near = Integer.MAX_VALUE;
        for (int other = 1; other < 144; other++) {
            near = Math.min(near, costs.cost(0, other));
        }

        int[] order = PartOrder.of(costs);

        assertThat(PlacementCost.betweenNeighbors(costs, order)).isLessThan(1.1 * near);
        assertThat(inGivenOrder(costs)).isGreaterThan(1.5 * near);
    }

    @Property(tries = 40)
    void anOrderHasEveryPartOnceAndIsNeverDearerThanTheOneBefore(@ForAll long seed) {
        CostMatrix matrix = matrix(Wiring.random(seed, 12, 20, 40));
        PartCosts costs = scattered(matrix, Math.min(30, matrix.vertices()), seed);

        int[] order = PartOrder.of(costs);

        assertThat(order).doesNotHaveDuplicates().hasSize(costs.parts());
        assertThat(PlacementCost.betweenNeighbors(costs, order)).isLessThanOrEqualTo(inGivenOrder(costs));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void asManyGroupsOfNeighboursAsTheLeavesHoldAreOnOneLeaf(int size) {
        PartCosts costs = scattered(matrix(Wiring.twoLevels(1, 16, 4, 8, 1)), 101, 11);
        int near =
                IntStream.range(1, 101).map(other -> costs.cost(0, other)).min().orElseThrow();
        int most = 0;
        for (int part = 0; part < 101; part++) {
            int one = part;
            int before = (int) IntStream.range(0, part)
                    .filter(other -> costs.cost(one, other) == near)
                    .count();
            most += (before + 1) % size == 0 ? 1 : 0;
        }

        int[] order = RankGroups.of(costs, PartOrder.of(costs), size);

        assertThat(order).doesNotHaveDuplicates().hasSize(101);
        int onOneLeaf = 0;
        for (int from = 0; from + size <= order.length; from += size) {
            int first = order[from];
            onOneLeaf +=
                    IntStream.range(from + 1, from + size).allMatch(at -> costs.cost(first, order[at]) == near) ? 1 : 0;
        }
        assertThat(onOneLeaf).isEqualTo(most);
    }

    @Test
    void aGroupThatNoLeafHoldsIsInOnePod() {
        // Pods of two leaves with three nodes each: groups of two leave one node a leaf, and two of a pod make a group.
        CostMatrix matrix = matrix(Wiring.threeLevels(1, 2, 2, 1, 1, 3, 1));
        PartCosts costs = scattered(matrix, 12, 3);
        int far =
                IntStream.range(1, 12).map(other -> costs.cost(0, other)).max().orElseThrow();

        int[] order = RankGroups.of(costs, PartOrder.of(costs), 2);

        for (int from = 0; from < 12; from += 2) {
            assertThat(costs.cost(order[from], order[from + 1])).isLessThan(far);
        }
    }

    @Test
    void podsOfOneHostFollowOneAnother() {
        CostMatrix matrix = matrix(Wiring.twoLevels(1, 4, 2, 4, 1));
        List<int[]> slots = List.of(new int[] {0}, new int[] {9}, new int[] {0}, new int[] {1}, new int[] {9});
        PartCosts costs = new PartCosts(matrix, new int[] {0, 9, 0, 1, 9}, slots);

        assertThat(PartOrder.of(costs)).startsWith(0, 2).containsSubsequence(1, 4);
        assertThat(IntStream.of(PartOrder.of(costs))
                        .mapToObj(part -> part == 1 || part == 4)
                        .toList())
                .containsSubsequence(true, true)
                .doesNotContainSequence(true, false, true);
        assertThat(PlacementCost.of(costs).pairs())
                .as("pairs on one host do not use the fabric")
                .isEqualTo(8);
    }

    /** What is asked of costs. */
    private static final class Counted extends PartCosts {
        private int rows;
        private int pairs;

        Counted(CostMatrix matrix, int[] hosts, List<int[]> slots) {
            super(matrix, hosts, slots);
        }

        @Override
        public int cost(int from, int to) {
            pairs++;
            return super.cost(from, to);
        }

        @Override
        public void row(int from, short[] into) {
            rows++;
            super.row(from, into);
        }
    }

    @Test
    void pairsOfALargeJobAreNotAskedForOneByOne() {
        CostMatrix matrix = matrix(Wiring.twoLevels(1, 75, 4, 8, 1));
        int[] hosts = IntStream.range(0, 600).toArray();
        Counted costs = new Counted(
                matrix,
                hosts,
                IntStream.of(hosts).mapToObj(slot -> new int[] {slot}).toList());

        PartOrder.of(costs);
        PlacementCost.of(costs);
        BestPlacement.find(costs, 64);

        assertThat(costs.pairs).as("neighbours of two orders").isEqualTo(2 * 599);
        assertThat(costs.rows)
                .as("one for each part of the order and of the cost, one for each of 64 hosts around 64 centers")
                .isLessThanOrEqualTo(600 + 599 + 64 * 64);
    }

    @Property(tries = 40)
    void aRowIsTheCheapestPairOfDevicesOfEachPart(@ForAll long seed) {
        CostMatrix matrix = matrix(Wiring.random(seed, 12, 20, 40));
        List<Integer> free =
                new ArrayList<>(IntStream.range(0, matrix.vertices()).boxed().toList());
        Collections.shuffle(free, new Random(seed));
        List<int[]> slots = new ArrayList<>();
        int[] hosts = new int[18];
        for (int part = 0; part < hosts.length; part++) {
            // Every third shares its host, and the devices of that, with the one before; the last ones have none.
            boolean shared = part % 3 == 2;
            hosts[part] = shared ? part - 1 : part;
            List<Integer> own = free.subList(0, shared ? 0 : Math.min(part % 5, free.size()));
            slots.add(
                    shared
                            ? slots.getLast()
                            : own.stream().mapToInt(Integer::intValue).toArray());
            own.clear();
        }
        PartCosts costs = new PartCosts(matrix, hosts, slots);
        short[] row = new short[hosts.length];
        for (int from = 0; from < row.length; from++) {
            costs.row(from, row);
            for (int to = 0; to < row.length; to++) {
                int cheapest = CostMatrix.UNREACHABLE;
                for (int one : slots.get(from)) {
                    for (int other : slots.get(to)) {
                        cheapest = Math.min(cheapest, matrix.cost(one, other));
                    }
                }
                assertThat(Short.toUnsignedInt(row[to]))
                        .isEqualTo(costs.cost(from, to))
                        .isEqualTo(hosts[from] == hosts[to] ? 0 : cheapest);
            }
        }
    }

    @Test
    void theBestPlacementInATreeFillsItsLeaves() {
        CostMatrix matrix = matrix(Wiring.twoLevels(1, 8, 4, 8, 1));
        PartCosts all = scattered(matrix, 64, 3);
        PlacementCost bad = PlacementCost.of(scattered(matrix, 16, 11));

        PlacementCost leaf = BestPlacement.find(all, 8);
        PlacementCost two = BestPlacement.find(all, 16);

        assertThat(leaf.worst()).isEqualTo((int) leaf.mean());
        // 2 x 28 pairs on a leaf, 64 between the two.
        assertThat(two.mean()).isEqualTo((56 * leaf.mean() + 64 * two.worst()) / 120);
        assertThat(bad.mean()).isGreaterThan(two.mean());
        assertThat(BestPlacement.find(all, 1000).pairs()).isEqualTo(64 * 63 / 2);
    }

    @Test
    void whatDoesNotReachEachOtherIsCountedAndNotAveraged() {
        CostMatrix matrix = matrix(Wiring.twoLevels(1, 2, 1, 2, 1));
        PartCosts costs = new PartCosts(matrix, new int[] {0, 1, 2}, List.of(new int[] {0}, new int[] {1}, new int[0]));

        assertThat(PlacementCost.of(costs)).isEqualTo(new PlacementCost(1, matrix.cost(0, 1), matrix.cost(0, 1), 2));
    }
}
