/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.SwitchComponents;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * An induced subgraph of the switches of a topology.
 *
 * <p>Nodes are numbered densely, ascending by switch; their neighbours are compressed sparse rows as in
 * {@link Topology}, ascending.
 *
 * <p>Cost: O(switches + neighbours) time and space.
 */
final class Subgraph {
    private static final int SAMPLE = 64;

    private final int[] switchOf;
    private final int[] nodeOf;
    private final int[] holder;
    private final int[] offsets;
    private final int[] neighbors;
    private final int[] cables;

    private Subgraph(int[] switchOf, int[] nodeOf, int[] holder, int[] offsets, int[] neighbors, int[] cables) {
        this.switchOf = switchOf;
        this.nodeOf = nodeOf;
        this.holder = holder;
        this.offsets = offsets;
        this.neighbors = neighbors;
        this.cables = cables;
    }

    /**
     * The 2-core of the largest connected component: switches with a single neighbour are removed until there are none, such
     * as service trees beside a grid. The whole component where that would remove everything, as in a tree.
     */
    static Subgraph twoCore(Topology topology) {
        int switches = topology.switches();
        int[] part = SwitchComponents.of(topology);
        int largest = largest(part);
        int[] degree = new int[switches];
        int[] queue = new int[switches];
        int filled = 0;
        int inPart = 0;
        for (int s = 0; s < switches; s++) {
            degree[s] = topology.firstNeighbor(s + 1) - topology.firstNeighbor(s);
            inPart += part[s] == largest ? 1 : 0;
            if (part[s] == largest && degree[s] == 1) {
                queue[filled++] = s;
            }
        }
        int[] up = new int[switches];
        Arrays.fill(up, -1);
        for (int i = 0; i < filled; i++) {
            int at = queue[i];
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int neighbor = topology.neighbor(n);
                if (up[neighbor] < 0 && up[at] < 0 && degree[neighbor] > 0) {
                    up[at] = neighbor;
                    degree[at] = 0;
                    if (--degree[neighbor] == 1) {
                        queue[filled++] = neighbor;
                    }
                }
            }
        }
        if (filled >= inPart - 1) {
            Arrays.fill(up, -1);
        }
        boolean[] in = new boolean[switches];
        int[] holder = new int[switches];
        for (int s = 0; s < switches; s++) {
            in[s] = part[s] == largest && up[s] < 0;
            holder[s] = part[s] == largest ? s : -1;
        }
        for (int i = filled - 1; i >= 0; i--) {
            holder[queue[i]] = up[queue[i]] < 0 ? queue[i] : holder[up[queue[i]]];
        }
        return within(topology, in, holder);
    }

    /** The largest connected component. */
    static Subgraph largestPart(Topology topology) {
        int[] part = SwitchComponents.of(topology);
        int largest = largest(part);
        boolean[] in = new boolean[part.length];
        int[] holder = new int[part.length];
        for (int s = 0; s < part.length; s++) {
            in[s] = part[s] == largest;
            holder[s] = in[s] ? s : -1;
        }
        return within(topology, in, holder);
    }

    /** All switches; each node has the number of its switch. */
    static Subgraph whole(Topology topology) {
        boolean[] in = new boolean[topology.switches()];
        Arrays.fill(in, true);
        int[] holder = new int[topology.switches()];
        Arrays.setAll(holder, s -> s);
        return within(topology, in, holder);
    }

    /** Of components of one size the one with the smallest switch; -1 without any switch. */
    private static int largest(int[] component) {
        int[] sizes = new int[component.length];
        int largest = -1;
        for (int of : component) {
            sizes[of]++;
        }
        for (int of = 0; of < sizes.length; of++) {
            largest = largest < 0 || sizes[of] > sizes[largest] ? of : largest;
        }
        return largest;
    }

    private static Subgraph within(Topology topology, boolean[] in, int[] holder) {
        int[] nodeOf = new int[in.length];
        int[] switchOf = new int[in.length];
        int size = 0;
        for (int s = 0; s < in.length; s++) {
            nodeOf[s] = in[s] ? size : -1;
            if (in[s]) {
                switchOf[size++] = s;
            }
        }
        int[] offsets = new int[size + 1];
        int[] neighbors = new int[topology.firstNeighbor(in.length)];
        int[] cables = new int[neighbors.length];
        int at = 0;
        for (int node = 0; node < size; node++) {
            int s = switchOf[node];
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                if (in[topology.neighbor(n)]) {
                    neighbors[at] = nodeOf[topology.neighbor(n)];
                    cables[at++] = topology.neighborCables(n);
                }
            }
            offsets[node + 1] = at;
        }
        return new Subgraph(
                Arrays.copyOf(switchOf, size),
                nodeOf,
                holder,
                offsets,
                Arrays.copyOf(neighbors, at),
                Arrays.copyOf(cables, at));
    }

    /** The part of this graph that consists of some of its nodes, which keep their order and hang off nothing. */
    Subgraph only(IntPredicate chosen) {
        int[] renumbered = new int[size()];
        int[] switches = new int[size()];
        int count = 0;
        for (int node = 0; node < size(); node++) {
            renumbered[node] = chosen.test(node) ? count : -1;
            if (renumbered[node] >= 0) {
                switches[count++] = switchOf[node];
            }
        }
        int[] first = new int[count + 1];
        int[] kept = new int[entries()];
        int[] keptCables = new int[entries()];
        int at = 0;
        for (int node = 0; node < size(); node++) {
            for (int e = offsets[node]; renumbered[node] >= 0 && e < offsets[node + 1]; e++) {
                if (renumbered[neighbors[e]] >= 0) {
                    kept[at] = renumbered[neighbors[e]];
                    keptCables[at++] = cables[e];
                }
            }
            if (renumbered[node] >= 0) {
                first[renumbered[node] + 1] = at;
            }
        }
        int[] nodes = new int[nodeOf.length];
        Arrays.setAll(nodes, s -> nodeOf[s] < 0 ? -1 : renumbered[nodeOf[s]]);
        return new Subgraph(
                Arrays.copyOf(switches, count),
                nodes,
                holder,
                first,
                Arrays.copyOf(kept, at),
                Arrays.copyOf(keptCables, at));
    }

    /** Number of nodes. */
    int size() {
        return switchOf.length;
    }

    int switchOf(int node) {
        return switchOf[node];
    }

    /** -1 for a switch that is not in the graph. */
    int nodeOf(int switchIndex) {
        return nodeOf[switchIndex];
    }

    /**
     * The switch of the graph that a switch hangs off, by however many others; itself in the graph; -1 where no cables
     * lead there.
     */
    int holderOf(int switchIndex) {
        return holder[switchIndex];
    }

    int first(int node) {
        return offsets[node];
    }

    int neighbor(int entry) {
        return neighbors[entry];
    }

    /** Parallel cables to the neighbour at an entry. */
    int cables(int entry) {
        return cables[entry];
    }

    int degree(int node) {
        return offsets[node + 1] - offsets[node];
    }

    /** Neighbours of all nodes together: each pair of neighbours counts twice. */
    int entries() {
        return neighbors.length;
    }

    /** Entry of {@code other} among the neighbours of {@code node}; negative where they are none. */
    int entry(int node, int other) {
        return Arrays.binarySearch(neighbors, offsets[node], offsets[node + 1], other);
    }

    boolean joined(int node, int other) {
        return entry(node, other) >= 0;
    }

    /** Whether two nodes have a common neighbour other than {@code except}. */
    boolean meet(int one, int other, int except) {
        int i = offsets[one];
        int j = offsets[other];
        while (i < offsets[one + 1] && j < offsets[other + 1]) {
            int difference = Integer.compare(neighbors[i], neighbors[j]);
            if (difference == 0) {
                if (neighbors[i] != except) {
                    return true;
                }
                i++;
                j++;
            } else if (difference < 0) {
                i++;
            } else {
                j++;
            }
        }
        return false;
    }

    /** Number of common neighbours. */
    int common(int one, int other) {
        int count = 0;
        int i = offsets[one];
        int j = offsets[other];
        while (i < offsets[one + 1] && j < offsets[other + 1]) {
            int difference = Integer.compare(neighbors[i], neighbors[j]);
            count += difference == 0 ? 1 : 0;
            i += difference <= 0 ? 1 : 0;
            j += difference >= 0 ? 1 : 0;
        }
        return count;
    }

    /**
     * Of the pairs of neighbours of a sample of nodes that are not adjacent, the share that has another common neighbour; 1
     * without such pairs. High in a grid, near 0 in a random graph.
     */
    double shareOfSquares() {
        int pairs = 0;
        int squares = 0;
        for (int node = 0; node < size(); node += Math.max(1, size() / SAMPLE)) {
            int inSample = 0;
            for (int i = offsets[node]; i < offsets[node + 1]; i++) {
                for (int j = offsets[node + 1] - 1; j > i && inSample < SAMPLE; j--) {
                    if (!joined(neighbors[i], neighbors[j])) {
                        inSample++;
                        squares += meet(neighbors[i], neighbors[j], node) ? 1 : 0;
                    }
                }
            }
            pairs += inSample;
        }
        return pairs == 0 ? 1 : squares / (double) pairs;
    }

    /** The degree that half of the nodes exceed or have; 0 without nodes. */
    int typicalDegree() {
        int[] degrees = new int[size()];
        Arrays.setAll(degrees, this::degree);
        Arrays.sort(degrees);
        return degrees.length == 0 ? 0 : degrees[degrees.length / 2];
    }
}
