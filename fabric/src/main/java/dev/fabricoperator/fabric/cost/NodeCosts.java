/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Relative communication cost between nodes: that of the cheapest pair of their devices.
 *
 * <pre>
 * Shape:  nodes x nodes; row = from, column = to, both by the number that the caller gave to a node. A plane's costs are
 *         those of nodes that are given with their devices of that plane only.
 * Unit:   none (relative); unsigned 16 bit, as in {@link CostMatrix}. 0 to itself, 65535 unreachable. A node without a
 *         device is a row and column of 65535.
 * Errors: IllegalArgumentException for a number that is no node's, or a slot that is no vertex (PMIX_ERR_BAD_PARAM).
 * Cost:   one pair O(k²) for nodes at k switches; one row O(k (s + c) + n) for s switches that hold devices, c sets of
 *         switches at which nodes are, and n nodes; a block a row for each set among its rows. Space O(n + c k) and the
 *         callers' slots. No loop over pairs of devices: devices at one switch cost the same.
 * Source: docs/cost-model.md; PMIx Standard, Fabric Support, PMIX_FABRIC_COST_MATRIX has devices only.
 * </pre>
 *
 * <p>Immutable, if nobody writes to the slots that it was given.
 */
public final class NodeCosts {
    private final CostMatrix matrix;
    private final int[][] slotsOfNode;
    private final int[] setOfNode;
    /** Distinct cabled attachments of the nodes that are at these, ascending. */
    private final int[][] attachmentsOfSet;

    private final @Nullable Nvlink nvlink;

    /** What NVLink costs between the same nodes, in a unit of its own. */
    private record Nvlink(NodeCosts costs, NvlinkUnit unit) {}

    private NodeCosts(
            CostMatrix matrix,
            int[][] slotsOfNode,
            int[] setOfNode,
            int[][] attachmentsOfSet,
            @Nullable Nvlink nvlink) {
        this.matrix = matrix;
        this.slotsOfNode = slotsOfNode;
        this.setOfNode = setOfNode;
        this.attachmentsOfSet = attachmentsOfSet;
        this.nvlink = nvlink;
    }

    /** @param slotsOfNode of each node; no slot is of two nodes */
    public static NodeCosts of(CostMatrix matrix, int[][] slotsOfNode) {
        Map<IntList, Integer> numbers = new HashMap<>();
        int[] setOfNode = new int[slotsOfNode.length];
        for (int node = 0; node < setOfNode.length; node++) {
            IntList set = new IntList(attachments(matrix, slotsOfNode[node]));
            Integer number = numbers.putIfAbsent(set, numbers.size());
            setOfNode[node] = number == null ? numbers.size() - 1 : number;
        }
        int[][] attachmentsOfSet = new int[numbers.size()][];
        numbers.forEach((set, number) -> attachmentsOfSet[number] = set.values());
        return new NodeCosts(matrix, slotsOfNode.clone(), setOfNode, attachmentsOfSet, null);
    }

    /**
     * The same, where NVLink joins some of the nodes, too: between two nodes the cheaper of both counts.
     *
     * @param costs of the same nodes in the fabric of their accelerators
     */
    public NodeCosts orByNvlink(NodeCosts costs, NvlinkUnit unit) {
        if (costs.nodes() != nodes()) {
            throw new IllegalArgumentException(costs.nodes() + " nodes of " + nodes());
        }
        return new NodeCosts(matrix, slotsOfNode, setOfNode, attachmentsOfSet, new Nvlink(costs, unit));
    }

    /** Numbers that are equal where their elements are. */
    private record IntList(int[] values) {
        @Override
        public boolean equals(Object other) {
            return other instanceof IntList list && Arrays.equals(values, list.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    /**
     * The cheapest pair of devices of two nodes.
     *
     * @param from slot of a device of the first node; {@code to} of the second
     */
    public record Pair(int from, int to, int cost) {}

    public int nodes() {
        return setOfNode.length;
    }

    public int cost(int from, int to) {
        requireNode(from);
        requireNode(to);
        if (from == to) {
            return self(from);
        }
        int best = CostMatrix.UNREACHABLE;
        for (int one : attachmentsOfSet[setOfNode[from]]) {
            for (int other : attachmentsOfSet[setOfNode[to]]) {
                best = Math.min(best, matrix.between(one, other));
            }
        }
        return nvlink == null
                ? best
                : Math.min(best, nvlink.unit().inNetwork(nvlink.costs().cost(from, to)));
    }

    /** {@code null} where no device of one reaches one of the other; of equal pairs the one with the lowest slots. */
    public @Nullable Pair best(int from, int to) {
        requireNode(from);
        requireNode(to);
        return best(matrix, slotsOfNode[from], slotsOfNode[to]);
    }

    /**
     * The cheapest pair of two sets of slots, which may overlap: a device in both is a pair of cost 0. {@code null} where
     * none of one reaches any of the other; of equal pairs the one with the lowest slots.
     *
     * <p>Cost: O(m k + k²) for m slots at k switches.
     */
    public static @Nullable Pair best(CostMatrix matrix, int[] from, int[] to) {
        int[] first = sorted(from);
        int[] second = sorted(to);
        for (int slot : first) {
            if (Arrays.binarySearch(second, slot) >= 0 && matrix.cost(slot, slot) == 0) {
                return new Pair(slot, slot, 0);
            }
        }
        int[] lowest = lowestOfEach(matrix, first);
        int[] others = lowestOfEach(matrix, second);
        Pair best = null;
        for (int one : lowest) {
            for (int other : others) {
                int cost = matrix.cost(one, other);
                if (cost < CostMatrix.UNREACHABLE && (best == null || cost < best.cost())) {
                    best = new Pair(one, other, cost);
                }
            }
        }
        return best;
    }

    /**
     * Costs pair by pair of two nodes' devices as unsigned 16 bit values, one row per slot of {@code from}.
     *
     * @return as many as the slots of one times those of the other, both in the order in which they were given
     */
    public short[] pairs(int from, int to) {
        requireNode(from);
        requireNode(to);
        short[] costs = new short[Math.multiplyExact(slotsOfNode[from].length, slotsOfNode[to].length)];
        matrix.block(slotsOfNode[from], slotsOfNode[to], costs);
        return costs;
    }

    /**
     * Writes the row of a node as unsigned 16 bit values.
     *
     * @throws IllegalArgumentException also if {@code into} is shorter than {@link #nodes()}
     */
    public void row(int from, short[] into) {
        requireNode(from);
        CostMatrix.requireRoom(into, nodes());
        char[] costs = costsFrom(setOfNode[from]);
        for (int node = 0; node < setOfNode.length; node++) {
            into[node] = (short) costs[setOfNode[node]];
        }
        into[from] = (short) self(from);
        if (nvlink != null) {
            short[] other = new short[nodes()];
            nvlink.costs().row(from, other);
            for (int node = 0; node < other.length; node++) {
                int cost = nvlink.unit().inNetwork(Short.toUnsignedInt(other[node]));
                into[node] = (short) Math.min(Short.toUnsignedInt(into[node]), cost);
            }
        }
    }

    /**
     * Writes the rows of some nodes, each cut to some columns, one behind the other as unsigned 16 bit values.
     *
     * @param from nodes, in any order, also several times
     * @param to as {@code from}
     * @throws IllegalArgumentException also if {@code into} is shorter than rows times columns
     */
    public void block(int[] from, int[] to, short[] into) {
        for (int node : from) {
            requireNode(node);
        }
        for (int node : to) {
            requireNode(node);
        }
        CostMatrix.requireRoom(into, (long) from.length * to.length);
        char[][] costsOfSet = new char[attachmentsOfSet.length][];
        int at = 0;
        for (int node : from) {
            int set = setOfNode[node];
            if (costsOfSet[set] == null) {
                costsOfSet[set] = costsFrom(set);
            }
            for (int other : to) {
                into[at++] = (short) (node == other ? self(node) : costsOfSet[set][setOfNode[other]]);
            }
        }
        if (nvlink != null) {
            short[] others = new short[from.length * to.length];
            nvlink.costs().block(from, to, others);
            for (int i = 0; i < others.length; i++) {
                int cost = nvlink.unit().inNetwork(Short.toUnsignedInt(others[i]));
                into[i] = (short) Math.min(Short.toUnsignedInt(into[i]), cost);
            }
        }
    }

    /** Costs from a set of attachments to each. */
    private char[] costsFrom(int from) {
        Attachments attachments = matrix.attachments();
        char[] best = new char[attachments.size()];
        Arrays.fill(best, (char) CostMatrix.UNREACHABLE);
        char[] costs = new char[best.length];
        for (int one : attachmentsOfSet[from]) {
            attachments.costsFrom(one, matrix.switches(), costs);
            for (int at = 0; at < best.length; at++) {
                best[at] = (char) Math.min(best[at], costs[at]);
            }
        }
        char[] ofSet = new char[attachmentsOfSet.length];
        for (int set = 0; set < ofSet.length; set++) {
            char cheapest = CostMatrix.UNREACHABLE;
            for (int other : attachmentsOfSet[set]) {
                cheapest = (char) Math.min(cheapest, best[other]);
            }
            ofSet[set] = cheapest;
        }
        return ofSet;
    }

    /** 0, but unreachable for a node whose slots are all empty. */
    private int self(int node) {
        for (int slot : slotsOfNode[node]) {
            if (matrix.cost(slot, slot) == 0) {
                return 0;
            }
        }
        return CostMatrix.UNREACHABLE;
    }

    private static int[] attachments(CostMatrix matrix, int[] slots) {
        return Arrays.stream(slots)
                .map(matrix::attachmentOf)
                .filter(Attachments::isCabled)
                .distinct()
                .sorted()
                .toArray();
    }

    /** The lowest slot at each cabled attachment, ascending. */
    private static int[] lowestOfEach(CostMatrix matrix, int[] ascending) {
        int[] lowest = new int[ascending.length];
        int[] seen = new int[ascending.length];
        int count = 0;
        for (int slot : ascending) {
            int at = matrix.attachmentOf(slot);
            boolean known = false;
            for (int i = 0; i < count && !known; i++) {
                known = seen[i] == at;
            }
            if (Attachments.isCabled(at) && !known) {
                seen[count] = at;
                lowest[count++] = slot;
            }
        }
        return Arrays.copyOf(lowest, count);
    }

    private static int[] sorted(int[] slots) {
        int[] sorted = slots.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    private void requireNode(int node) {
        if (node < 0 || node >= setOfNode.length) {
            throw new IllegalArgumentException("node " + node + " of " + setOfNode.length);
        }
    }
}
