/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** Against the definition: over all pairs of devices. */
class GroupCostsTest {
    @Property(tries = 300, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void costsToAGroupAreThoseToItsDevices(@ForAll long seed) {
        SomeFabric fabric = SomeFabric.of(seed);
        Random random = new Random(seed);
        CostMatrix matrix = CostModel.of(Topology.of(fabric.switches(), fabric.vertices()), fabric.weights());
        int[] groupOfSlot = new int[matrix.vertices()];
        Arrays.setAll(groupOfSlot, slot -> random.nextInt(-1, 5) * 1000);
        GroupCosts costs = GroupCosts.of(matrix, groupOfSlot);

        // An empty slot costs 65535 to itself, and is in no group whatever somebody says of it.
        int[] used = IntStream.range(0, matrix.vertices())
                .filter(slot -> matrix.cost(slot, slot) == 0)
                .toArray();
        assertThat(costs.groups())
                .isEqualTo(Arrays.stream(used)
                        .map(slot -> groupOfSlot[slot])
                        .filter(g -> g >= 0)
                        .sorted()
                        .distinct()
                        .toArray());
        for (int group : costs.groups()) {
            int[] members =
                    Arrays.stream(used).filter(s -> groupOfSlot[s] == group).toArray();
            for (int from = 0; from < matrix.vertices(); from++) {
                assertThat(costs.fromDevice(from, group))
                        .as("seed %d, from %d to group %d", seed, from, group)
                        .isEqualTo(over(matrix, from, members));
            }
        }
    }

    private static GroupCosts.Cost over(CostMatrix matrix, int from, int[] to) {
        int minimum = CostMatrix.UNREACHABLE;
        long sum = 0;
        long reached = 0;
        long unreachable = 0;
        for (int other : to) {
            int cost = matrix.cost(from, other);
            if (from != other && cost == CostMatrix.UNREACHABLE) {
                unreachable++;
            } else if (from != other) {
                minimum = Math.min(minimum, cost);
                sum += cost;
                reached++;
            }
        }
        return new GroupCosts.Cost(minimum, sum, reached, unreachable);
    }

    @Test
    void theMeanIsOverDevicesThatAreReached() {
        CostMatrix matrix = CostModel.of(Wiring.twoLevels(1, 2, 1, 3, 1).topology());
        int[] leafOfSlot = IntStream.range(0, 6).map(matrix::edgeSwitchOf).toArray();
        GroupCosts costs = GroupCosts.of(matrix, leafOfSlot);

        GroupCosts.Cost near = costs.fromDevice(0, leafOfSlot[0]);
        assertThat(near).isEqualTo(new GroupCosts.Cost(20, 40, 2, 0));
        assertThat(near.mean()).isEqualTo(20.0);
        assertThat(costs.fromDevice(0, 1 - leafOfSlot[0]).mean()).isEqualTo(40.0);
        assertThat(new GroupCosts.Cost(CostMatrix.UNREACHABLE, 0, 0, 3).mean()).isEqualTo(CostMatrix.UNREACHABLE);
    }

    @Test
    void refusesWhatIsNoGroupAndNoVertex() {
        CostMatrix matrix = CostModel.of(Wiring.twoLevels(1, 2, 1, 1, 1).topology());
        GroupCosts costs = GroupCosts.of(matrix, new int[] {0, 7});
        assertThat(costs.has(7)).isTrue();
        assertThat(costs.has(1)).isFalse();
        assertThatThrownBy(() -> costs.fromDevice(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> costs.fromDevice(2, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> GroupCosts.of(matrix, new int[] {0})).isInstanceOf(IllegalArgumentException.class);
    }
}
