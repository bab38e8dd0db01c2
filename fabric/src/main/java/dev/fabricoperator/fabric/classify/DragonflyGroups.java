/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.graph.DisjointSets;
import java.util.Arrays;

/** One way to divide a graph into groups, and how much of a dragonfly it is. */
final class DragonflyGroups {
    private static final int SMALLEST_GROUP = 3;

    private static final int REFINEMENTS = 6;

    private final Subgraph graph;
    private final int[] owner;
    private final int[] groupOf;
    private int groups;

    private DragonflyGroups(Subgraph graph) {
        this.graph = graph;
        owner = new int[graph.entries()];
        for (int node = 0; node < graph.size(); node++) {
            Arrays.fill(owner, graph.firstNeighbor(node), graph.firstNeighbor(node + 1), node);
        }
        groupOf = new int[graph.size()];
        Arrays.fill(groupOf, -1);
    }

    /** Groups are what stays connected by neighbours with at least so many common neighbours. */
    static DragonflyGroups of(Subgraph graph, int[] common, int atLeast) {
        DragonflyGroups divided = new DragonflyGroups(graph);
        divided.flood((from, entry) -> common[entry] >= atLeast);
        // A small group that lost cables: what is connected without the groups found so far.
        divided.flood((from, entry) -> true);
        divided.attachTheRest();
        return divided;
    }

    /**
     * Grows each group from a pair of neighbours: all nodes joined with most of the pair and its common neighbours. Pairs
     * with most common neighbours come first.
     */
    static DragonflyGroups byCliques(Subgraph graph, int[] common) {
        DragonflyGroups divided = new DragonflyGroups(graph);
        int[] hits = new int[graph.size()];
        for (int entry : byEvidence(graph, common)) {
            int one = graph.neighbor(entry);
            int other = divided.owner[entry];
            if (divided.groupOf[one] < 0 && divided.groupOf[other] < 0 && common[entry] > 0) {
                divided.take(one, other, hits);
            }
        }
        divided.flood((from, entry) -> true);
        divided.attachTheRest();
        divided.refine();
        return divided;
    }

    /** @param groupOf number of the group of each node */
    static DragonflyGroups given(Subgraph graph, int[] groupOf) {
        DragonflyGroups divided = new DragonflyGroups(graph);
        System.arraycopy(groupOf, 0, divided.groupOf, 0, groupOf.length);
        divided.groups = Arrays.stream(groupOf).max().orElse(-1) + 1;
        return divided;
    }

    /** Entries, those first that have most common neighbours, then those with most parallel cables. */
    private static int[] byEvidence(Subgraph graph, int[] common) {
        long[] keys = new long[graph.entries()];
        for (int e = 0; e < keys.length; e++) {
            keys[e] = -((long) common[e] * 64 + Math.min(graph.cables(e), 63)) << 32 | e;
        }
        Arrays.sort(keys);
        return Arrays.stream(keys).mapToInt(key -> (int) key).toArray();
    }

    private void take(int one, int other, int[] hits) {
        int[] seed = new int[graph.degree(one) + 2];
        int seeds = 0;
        seed[seeds++] = one;
        seed[seeds++] = other;
        for (int e = graph.firstNeighbor(one); e < graph.firstNeighbor(one + 1); e++) {
            if (groupOf[graph.neighbor(e)] < 0 && graph.joined(other, graph.neighbor(e))) {
                seed[seeds++] = graph.neighbor(e);
            }
        }
        int[] touched = new int[graph.size()];
        int count = 0;
        for (int i = 0; i < seeds; i++) {
            count = hit(seed[i], hits, touched, count);
            for (int e = graph.firstNeighbor(seed[i]); e < graph.firstNeighbor(seed[i] + 1); e++) {
                count = hit(graph.neighbor(e), hits, touched, count);
            }
        }
        int members = 0;
        for (int i = 0; i < count; i++) {
            boolean in = groupOf[touched[i]] < 0 && hits[touched[i]] >= Thresholds.OF_CLIQUE * seeds;
            hits[touched[i]] = 0;
            touched[members] = touched[i];
            members += in ? 1 : 0;
        }
        for (int i = 0; i < members && members >= SMALLEST_GROUP; i++) {
            groupOf[touched[i]] = groups;
        }
        groups += members >= SMALLEST_GROUP ? 1 : 0;
    }

    private static int hit(int node, int[] hits, int[] touched, int count) {
        if (hits[node]++ > 0) {
            return count;
        }
        touched[count] = node;
        return count + 1;
    }

    /** Groups that are joined node by node as one: rows of a group of rows and columns. */
    DragonflyGroups withRowsMerged() {
        DragonflyGroups merged = new DragonflyGroups(graph);
        DisjointSets sets = new DisjointSets(groups);
        int[] sizes = sizes();
        int[][] neighbors = neighbors();
        for (int one = 0; one < groups; one++) {
            for (int other = 0; other < one; other++) {
                int smaller = Math.min(sizes[one], sizes[other]);
                int joined = neighbors[one][other];
                if (joined >= Thresholds.COLUMNS * smaller && joined <= Thresholds.MATCHING * smaller) {
                    sets.join(one, other);
                }
            }
        }
        if (!columnsStandOut(sets, neighbors)) {
            return this;
        }
        int[] number = new int[groups];
        for (int node = 0; node < graph.size(); node++) {
            if (groupOf[node] >= 0) {
                int root = sets.root(groupOf[node]);
                number[root] = number[root] == 0 ? ++merged.groups : number[root];
                merged.groupOf[node] = number[root] - 1;
            }
        }
        return merged;
    }

    /** Whether rows that would be one group are joined far more than those that would not. */
    private boolean columnsStandOut(DisjointSets sets, int[][] neighbors) {
        double[] joined = new double[2];
        int[] pairs = new int[2];
        for (int one = 0; one < groups; one++) {
            for (int other = 0; other < one; other++) {
                int kind = sets.areJoined(one, other) ? 0 : 1;
                joined[kind] += neighbors[one][other];
                pairs[kind]++;
            }
        }
        return pairs[0] > 0 && pairs[1] > 0 && joined[0] / pairs[0] >= Thresholds.MORE_WITHIN * joined[1] / pairs[1];
    }

    /** What the ways join of the nodes without a group is a group each, where it is not too small. */
    private void flood(BreadthFirst.Way way) {
        int[] component = BreadthFirst.components(
                graph,
                start -> groupOf[start] < 0,
                (from, entry) -> groupOf[graph.neighbor(entry)] < 0 && way.isOpen(from, entry));
        int[] sizes = new int[component.length];
        for (int of : component) {
            if (of >= 0) {
                sizes[of]++;
            }
        }
        for (int node = 0; node < component.length; node++) {
            int first = component[node];
            if (first >= 0 && sizes[first] >= SMALLEST_GROUP) {
                groupOf[node] = first == node ? groups++ : groupOf[first];
            }
        }
    }

    /** Nodes outside all groups go where most of their neighbours are, in relation to the group's size. */
    private void attachTheRest() {
        int[] sizes = sizes();
        int[] before = groupOf.clone();
        for (int node = 0; node < graph.size(); node++) {
            if (before[node] >= 0) {
                continue;
            }
            int[] neighbors = new int[groups];
            double most = 0;
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                int group = before[graph.neighbor(e)];
                if (group >= 0) {
                    double share = ++neighbors[group] / (double) sizes[group];
                    groupOf[node] = share > most ? group : groupOf[node];
                    most = Math.max(most, share);
                }
            }
        }
    }

    /** Nodes that are rather of another group go there. */
    private void refine() {
        int[] neighbors = new int[groups];
        for (int round = 0; round < REFINEMENTS; round++) {
            int[] sizes = sizes();
            BlockModel.Belonging belonging = BlockModel.of(sizes, neighbors()).belonging();
            boolean moved = false;
            for (int node = 0; node < graph.size(); node++) {
                Arrays.fill(neighbors, 0);
                for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                    if (groupOf[graph.neighbor(e)] >= 0) {
                        neighbors[groupOf[graph.neighbor(e)]]++;
                    }
                }
                int own = groupOf[node];
                int best = own;
                double most = own < 0 ? Double.NEGATIVE_INFINITY : belonging.to(neighbors[own], sizes[own] - 1);
                for (int group = 0; group < groups; group++) {
                    if (group != own && neighbors[group] > 0 && belonging.to(neighbors[group], sizes[group]) > most) {
                        best = group;
                        most = belonging.to(neighbors[group], sizes[group]);
                    }
                }
                if (best != own) {
                    moved = true;
                    sizes[best]++;
                    if (own >= 0) {
                        sizes[own]--;
                    }
                    groupOf[node] = best;
                }
            }
            if (!moved) {
                return;
            }
        }
    }

    private int[] sizes() {
        int[] sizes = new int[groups];
        for (int group : groupOf) {
            if (group >= 0) {
                sizes[group]++;
            }
        }
        return sizes;
    }

    /** Neighbours per pair of groups; those within a group count twice. */
    private int[][] neighbors() {
        int[][] neighbors = new int[groups][groups];
        for (int node = 0; node < graph.size(); node++) {
            for (int e = graph.firstNeighbor(node); groupOf[node] >= 0 && e < graph.firstNeighbor(node + 1); e++) {
                if (groupOf[graph.neighbor(e)] >= 0) {
                    neighbors[groupOf[node]][groupOf[graph.neighbor(e)]]++;
                }
            }
        }
        return neighbors;
    }

    /** Per node; -1 for one in no group. */
    int[] groupOf() {
        return groupOf.clone();
    }

    double bitsSaved() {
        return BlockModel.of(sizes(), neighbors()).bitsSaved();
    }

    /** Share of nodes in groups that fit; 0 where it is no dragonfly. */
    double score() {
        return new DragonflyFit(graph, groupOf, sizes(), neighbors()).score();
    }

    /** Of what is no dragonfly. */
    NoMatch whyNot() {
        return new DragonflyFit(graph, groupOf, sizes(), neighbors()).whyNot();
    }
}
