/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.graph.Graph;
import dev.fabricoperator.fabric.graph.TwoCore;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An induced subgraph of the switches of a topology.
 *
 * <p>Nodes are numbered densely, ascending by switch.
 *
 * <p>Cost: O(switches + neighbours) time and space.
 */
final class Subgraph implements Graph {
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
     * The 2-core of the largest connected component: without what only hangs off it, such as service trees beside a grid. The whole
     * component where nothing would be left, as in a tree.
     */
    static Subgraph twoCore(Topology topology) {
        boolean[] in = largest(topology);
        TwoCore core = TwoCore.of(topology);
        int[] taken = Arrays.stream(core.taken()).filter(s -> in[s]).toArray();
        int[] holder = new int[in.length];
        int left = -taken.length;
        for (int s = 0; s < in.length; s++) {
            holder[s] = in[s] ? s : -1;
            left += in[s] ? 1 : 0;
        }
        for (int i = taken.length - 1; i >= 0 && left > 1; i--) {
            in[taken[i]] = false;
            holder[taken[i]] = holder[core.up()[taken[i]]];
        }
        return whole(topology, holder).only(s -> in[s]);
    }

    /** The largest connected component. */
    static Subgraph largestPart(Topology topology) {
        boolean[] in = largest(topology);
        int[] holder = new int[in.length];
        Arrays.setAll(holder, s -> in[s] ? s : -1);
        return whole(topology, holder).only(s -> in[s]);
    }

    /** All switches; each node has the number of its switch. */
    static Subgraph whole(Topology topology) {
        return whole(topology, IntStream.range(0, topology.switches()).toArray());
    }

    private static Subgraph whole(Topology topology, int[] holder) {
        int[] nodes = IntStream.range(0, topology.switches()).toArray();
        int[] offsets = IntStream.rangeClosed(0, nodes.length)
                .map(topology::firstNeighbor)
                .toArray();
        int[] entries = IntStream.range(0, offsets[nodes.length]).toArray();
        int[] neighbors = Arrays.stream(entries).map(topology::neighbor).toArray();
        int[] cables = Arrays.stream(entries).map(topology::neighborCables).toArray();
        return new Subgraph(nodes, nodes, holder, offsets, neighbors, cables);
    }

    /** By switch, whether it is in the largest component: of several of one size, in the one with the smallest switch. */
    private static boolean[] largest(Topology topology) {
        int[] component = BreadthFirst.components(topology);
        int[] sizes = new int[component.length];
        for (int of : component) {
            sizes[of]++;
        }
        int largest = 0;
        for (int of = 0; of < sizes.length; of++) {
            largest = sizes[of] > sizes[largest] ? of : largest;
        }
        boolean[] in = new boolean[component.length];
        for (int s = 0; s < in.length; s++) {
            in[s] = component[s] == largest;
        }
        return in;
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

    @Override
    public int size() {
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

    @Override
    public int firstNeighbor(int node) {
        return offsets[node];
    }

    @Override
    public int neighbor(int entry) {
        return neighbors[entry];
    }

    /** Parallel cables to the neighbour at an entry. */
    int cables(int entry) {
        return cables[entry];
    }

    /** Neighbours of all nodes together: each pair of neighbours counts twice. */
    int entries() {
        return neighbors.length;
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
     * Of the pairs of neighbours of a sample of nodes that are not adjacent, those that have another common neighbour, where that is
     * less than a share of them; else {@code null}. High in a grid, near 0 in a random graph.
     */
    @Nullable
    NoMatch lacksSquares(double share) {
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
        return pairs == 0 || squares / (double) pairs >= share ? null : new NoMatch(Reason.NO_SQUARES, squares, pairs);
    }

    /** The degree that half of the nodes exceed or have; 0 without nodes. */
    int typicalDegree() {
        int[] degrees = new int[size()];
        Arrays.setAll(degrees, this::degree);
        Arrays.sort(degrees);
        return degrees.length == 0 ? 0 : degrees[degrees.length / 2];
    }
}
