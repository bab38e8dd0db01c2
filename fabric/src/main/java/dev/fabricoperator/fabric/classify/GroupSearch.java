/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.Arrays;

/**
 * Greedy search for the division of a small graph into groups that describes its wiring best ({@link BlockModel}): the two
 * most similar groups are merged until two are left; then nodes of the best of these divisions are moved and exchanged while
 * that saves bits. It finds small groups that lost cables, where no clique is whole.
 *
 * <p>Cost: O(n * n * n) for n nodes.
 */
final class GroupSearch {
    /** Larger cores have groups that lost cables do not hide. */
    static final int MAX_NODES = 160;

    private static final int SMALLEST_GROUP = 3;
    private static final int STARTS = 4;
    private static final int MAX_STEPS = 200;

    private final Subgraph graph;
    private final int size;
    private final int[] groupOf;
    /** Neighbours of each node in each group. */
    private final int[][] joined;

    private int[] sizes = new int[0];

    private GroupSearch(Subgraph graph) {
        this.graph = graph;
        size = graph.size();
        groupOf = new int[size];
        joined = new int[size][];
    }

    /**
     * Group of each node, numbered densely; empty where nothing is to be found.
     *
     * @param known a division to begin with as well
     */
    static int[] of(Subgraph graph, int[] known) {
        if (graph.size() > MAX_NODES || graph.size() < 2 * SMALLEST_GROUP) {
            return new int[0];
        }
        return new GroupSearch(graph).best(known);
    }

    private int[] best(int[] known) {
        int[][] divisions = merge();
        double[] saved = new double[divisions.length];
        for (int groups = 2; groups < divisions.length; groups++) {
            start(divisions[groups], groups);
            saved[groups] = model().bitsSaved();
        }
        int[] best = new int[0];
        double most = 0;
        if (Arrays.stream(known).min().orElse(-1) >= 0) {
            start(known, Arrays.stream(known).max().getAsInt() + 1);
            most = climb();
            best = most > 0 ? groupOf.clone() : best;
        }
        for (int start = 0; start < STARTS; start++) {
            int groups = 2;
            for (int other = 3; other < saved.length; other++) {
                groups = saved[other] > saved[groups] ? other : groups;
            }
            if (groups >= saved.length || saved[groups] == Double.NEGATIVE_INFINITY) {
                break;
            }
            saved[groups] = Double.NEGATIVE_INFINITY;
            start(divisions[groups], groups);
            double climbed = climb();
            if (climbed > most) {
                most = climbed;
                best = groupOf.clone();
            }
        }
        return best;
    }

    /** Per number of groups the division that is left when the most similar ones were merged. */
    private int[][] merge() {
        double[][] similar = new double[size][size];
        for (int one = 0; one < size; one++) {
            for (int other = 0; other < one; other++) {
                similar[one][other] = graph.common(one, other) + (graph.joined(one, other) ? 2 : 0);
                similar[other][one] = similar[one][other];
            }
        }
        int[] weight = new int[size];
        Arrays.fill(weight, 1);
        int[] at = new int[size];
        Arrays.setAll(at, node -> node);
        int[][] divisions = new int[Math.max(3, size / SMALLEST_GROUP + 1)][];
        for (int left = size; left >= 2; left--) {
            if (left < divisions.length) {
                divisions[left] = dense(at);
            }
            int one = -1;
            int other = -1;
            for (int i = 0; i < size; i++) {
                for (int j = 0; weight[i] > 0 && j < i; j++) {
                    boolean more = weight[j] > 0 && (one < 0 || similar[i][j] > similar[one][other]);
                    one = more ? i : one;
                    other = more ? j : other;
                }
            }
            for (int node = 0; node < size; node++) {
                at[node] = at[node] == one ? other : at[node];
                double mean = (similar[one][node] * weight[one] + similar[other][node] * weight[other])
                        / (weight[one] + weight[other]);
                similar[other][node] = mean;
                similar[node][other] = mean;
            }
            weight[other] += weight[one];
            weight[one] = 0;
        }
        return divisions;
    }

    private static int[] dense(int[] at) {
        int[] number = new int[at.length];
        int next = 0;
        int[] dense = new int[at.length];
        for (int node = 0; node < at.length; node++) {
            number[at[node]] = number[at[node]] == 0 ? ++next : number[at[node]];
            dense[node] = number[at[node]] - 1;
        }
        return dense;
    }

    private void start(int[] division, int groups) {
        System.arraycopy(division, 0, groupOf, 0, size);
        sizes = new int[groups];
        for (int node = 0; node < size; node++) {
            sizes[groupOf[node]]++;
            joined[node] = new int[groups];
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                joined[node][groupOf[graph.neighbor(e)]]++;
            }
        }
    }

    private BlockModel model() {
        int within = 0;
        for (int node = 0; node < size; node++) {
            within += joined[node][groupOf[node]];
        }
        return new BlockModel(sizes, within / 2, graph.entries() / 2);
    }

    /** Moves one node, or exchanges two, while that saves bits; returns how many are saved in the end. */
    private double climb() {
        BlockModel model = model();
        double saved = model.bitsSaved();
        for (int step = 0; step < MAX_STEPS; step++) {
            double most = saved;
            int one = -1;
            int target = -1;
            int other = -1;
            for (int node = 0; node < size; node++) {
                int own = groupOf[node];
                for (int group = 0; group < sizes.length; group++) {
                    int more = joined[node][group] - joined[node][own];
                    if (group == own || joined[node][group] == 0) {
                        continue;
                    }
                    double bits = model.afterMove(own, group, more).bitsSaved();
                    if (bits > most) {
                        most = bits;
                        one = node;
                        target = group;
                        other = -1;
                    }
                }
                for (int far = 0; far < node; far++) {
                    int there = groupOf[far];
                    int more = joined[node][there] - joined[node][own] + joined[far][own] - joined[far][there];
                    if (there != own && more > 0) {
                        more -= graph.joined(node, far) ? 2 : 0;
                        double bits = more > 0 ? model.afterExchange(more).bitsSaved() : 0;
                        if (bits > most) {
                            most = bits;
                            one = node;
                            target = there;
                            other = far;
                        }
                    }
                }
            }
            if (one < 0) {
                return saved;
            }
            int from = groupOf[one];
            move(one, target);
            if (other >= 0) {
                move(other, from);
            }
            model = model();
            saved = most;
        }
        return saved;
    }

    private void move(int node, int group) {
        sizes[groupOf[node]]--;
        sizes[group]++;
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            joined[graph.neighbor(e)][groupOf[node]]--;
            joined[graph.neighbor(e)][group]++;
        }
        groupOf[node] = group;
    }
}
