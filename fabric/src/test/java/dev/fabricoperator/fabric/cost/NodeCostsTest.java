/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Against the definition: the cheapest of all pairs of devices. */
class NodeCostsTest {
    @Property(tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void aPairARowABlockAndTheWholeAreTheCheapestPairsOfDevices(@ForAll long seed) {
        SomeFabric fabric = SomeFabric.of(seed);
        CostMatrix matrix = CostModel.of(Topology.of(fabric.switches(), fabric.vertices()), fabric.weights());
        int[][] slotsOfNode = slotsOfNode(matrix, new Random(seed));
        NodeCosts costs = NodeCosts.of(matrix, slotsOfNode);

        int nodes = slotsOfNode.length;
        assertThat(costs.nodes()).isEqualTo(nodes);
        short[] row = new short[nodes];
        int[] every = new int[nodes];
        Arrays.setAll(every, node -> node);
        short[] whole = new short[nodes * nodes];
        costs.block(every, every, whole);
        for (int from = 0; from < nodes; from++) {
            costs.row(from, row);
            for (int to = 0; to < nodes; to++) {
                NodeCosts.Pair cheapest = cheapest(matrix, slotsOfNode[from], slotsOfNode[to]);
                int expected = cheapest == null ? CostMatrix.UNREACHABLE : cheapest.cost();
                assertThat(costs.cost(from, to))
                        .as("seed %d, from %d to %d", seed, from, to)
                        .isEqualTo(expected);
                assertThat(Short.toUnsignedInt(row[to])).isEqualTo(expected);
                assertThat(Short.toUnsignedInt(whole[from * nodes + to])).isEqualTo(expected);
                assertThat(costs.best(from, to)).isEqualTo(cheapest);
            }
        }
        int[] some = {nodes - 1, 0, nodes - 1};
        short[] block = new short[3 * nodes];
        costs.block(some, every, block);
        for (int i = 0; i < block.length; i++) {
            assertThat(block[i]).isEqualTo(whole[some[i / nodes] * nodes + i % nodes]);
        }
    }

    /** Slots in a random order, dealt out to nodes of one to four; the last node has none. */
    private static int[][] slotsOfNode(CostMatrix matrix, Random random) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < matrix.vertices(); slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, random);
        List<int[]> nodes = new ArrayList<>();
        while (!slots.isEmpty()) {
            int[] own = new int[Math.min(slots.size(), 1 + random.nextInt(4))];
            Arrays.setAll(own, i -> slots.removeLast());
            nodes.add(own);
        }
        nodes.add(new int[0]);
        return nodes.toArray(int[][]::new);
    }

    private static NodeCosts.@Nullable Pair cheapest(CostMatrix matrix, int[] from, int[] to) {
        NodeCosts.Pair best = null;
        for (int one : from) {
            for (int other : to) {
                NodeCosts.Pair pair = new NodeCosts.Pair(one, other, matrix.cost(one, other));
                boolean better = best == null
                        || pair.cost() < best.cost()
                        || pair.cost() == best.cost() && (one < best.from() || one == best.from() && other < best.to());
                best = pair.cost() < CostMatrix.UNREACHABLE && better ? pair : best;
            }
        }
        return best;
    }

    @Test
    void pairsOfTwoNodesAreABlockOfTheMatrix() {
        CostMatrix matrix = CostModel.of(Wiring.rails(1, 2, 3, 2, 2, 1).topology());
        int[] one = {4, 0, 2};
        int[] other = {1, 3};
        short[] pairs = NodeCosts.of(matrix, new int[][] {one, other}).pairs(0, 1);
        assertThat(pairs).hasSize(6);
        for (int i = 0; i < pairs.length; i++) {
            assertThat(Short.toUnsignedInt(pairs[i])).isEqualTo(matrix.cost(one[i / 2], other[i % 2]));
        }
    }

    @Test
    void aDeviceOfBothNodesIsAPairOfItself() {
        CostMatrix matrix = CostModel.of(Wiring.twoLevels(1, 2, 1, 2, 1).topology());
        assertThat(NodeCosts.best(matrix, new int[] {0, 2, 1}, new int[] {3, 2}))
                .isEqualTo(new NodeCosts.Pair(2, 2, 0));
    }

    @Test
    void refusesNumbersOfNoNodeAndOfNoVertex() {
        CostMatrix matrix = CostModel.of(Wiring.twoLevels(1, 2, 1, 2, 1).topology());
        NodeCosts costs = NodeCosts.of(matrix, new int[][] {{0}, {1, 2}});
        assertThatThrownBy(() -> costs.cost(0, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> costs.row(-1, new short[2])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> costs.row(0, new short[1])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> costs.block(new int[] {0}, new int[] {2}, new short[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NodeCosts.of(matrix, new int[][] {{4}})).isInstanceOf(IllegalArgumentException.class);
    }
}
