/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.model.Plane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What communication costs between two nodes.
 *
 * @param from as it was asked for
 * @param to as it was asked for
 * @param cost of the best pair of one plane or two; 0 from a node to itself, 65535 where none reaches the other
 * @param best {@code null} where none reaches the other
 * @param planes those that both are on, ascending
 */
@JsonPropertyOrder({"from", "to", "fabric", "generation", "cost", "best", "planes"})
public record NodesCostAnswer(
        String from,
        String to,
        String fabric,
        long generation,
        int cost,
        @Nullable Pair best,
        List<PlanePairs> planes) {

    /**
     * Two devices.
     *
     * @param from node GUID, else deviceId
     * @param to as {@code from}
     * @param fromDevice name of its object
     */
    @JsonPropertyOrder({"from", "fromDevice", "fromIndex", "to", "toDevice", "toIndex", "cost"})
    public record Pair(
            String from, String fromDevice, int fromIndex, String to, String toDevice, int toIndex, int cost) {

        private static Pair of(FabricView fabric, int from, int to, int cost) {
            NamedDevice one = Objects.requireNonNull(fabric.device(from));
            NamedDevice other = Objects.requireNonNull(fabric.device(to));
            return new Pair(one.id(), one.name(), from, other.id(), other.name(), to, cost);
        }
    }

    /**
     * @param cost of the best pair
     * @param pairs of devices of one plane: each of the first node with each of the second, by index
     */
    @JsonPropertyOrder({"plane", "cost", "pairs"})
    public record PlanePairs(String plane, int cost, List<Pair> pairs) {
        /** The first one that costs least. */
        public Pair best() {
            return pairs.stream()
                    .filter(pair -> pair.cost() == cost)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /**
     * @param fromSlots the first node's devices, in slots that are in use
     * @param toSlots the second one's
     */
    public static NodesCostAnswer of(FabricView fabric, String from, int[] fromSlots, String to, int[] toSlots) {
        CostMatrix matrix = fabric.model().cost();
        NodeCosts.Pair best = NodeCosts.best(matrix, fromSlots, toSlots);
        List<PlanePairs> planes = new ArrayList<>();
        for (Plane plane : fabric.query().planes()) {
            PlanePairs pairs =
                    ofPlane(fabric, plane.id(), on(fabric, plane.id(), fromSlots), on(fabric, plane.id(), toSlots));
            if (!pairs.pairs().isEmpty()) {
                planes.add(pairs);
            }
        }
        return new NodesCostAnswer(
                from,
                to,
                fabric.name(),
                fabric.generation(),
                best == null ? CostMatrix.UNREACHABLE : best.cost(),
                best == null ? null : Pair.of(fabric, best.from(), best.to(), best.cost()),
                planes);
    }

    private static PlanePairs ofPlane(FabricView fabric, String plane, int[] from, int[] to) {
        short[] costs = new short[Math.multiplyExact(from.length, to.length)];
        fabric.model().cost().block(from, to, costs);
        int least = CostMatrix.UNREACHABLE;
        List<Pair> pairs = new ArrayList<>(costs.length);
        for (int i = 0; i < costs.length; i++) {
            int cost = Short.toUnsignedInt(costs[i]);
            least = Math.min(least, cost);
            pairs.add(Pair.of(fabric, from[i / to.length], to[i % to.length], cost));
        }
        return new PlanePairs(fabric.planeName(plane), least, pairs);
    }

    /** Ascending. */
    private static int[] on(FabricView fabric, String plane, int[] slots) {
        return Arrays.stream(slots)
                .filter(slot -> fabric.isOn(plane, slot))
                .sorted()
                .toArray();
    }
}
