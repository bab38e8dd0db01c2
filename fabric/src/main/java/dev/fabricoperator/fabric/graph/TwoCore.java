/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import java.util.Arrays;

/**
 * What is left where nodes with a single neighbour are taken away, again and again: what hangs off a ring or grid goes, and a tree
 * goes whole.
 *
 * <pre>
 * Cost:   O(nodes + neighbours).
 * Source: Seidman, Network structure and minimum degree, 1983
 * </pre>
 *
 * @param taken nodes in the order in which they go, the middle of a tree as the last of it
 * @param up by node, the one on which it hung when it went; -1 for one that is left, and for the last of a tree
 */
public record TwoCore(int[] taken, int[] up) {
    public static TwoCore of(Graph graph) {
        int[] degree = new int[graph.size()];
        int[] taken = new int[degree.length];
        int[] up = new int[degree.length];
        Arrays.fill(up, -1);
        int filled = 0;
        for (int node = 0; node < degree.length; node++) {
            degree[node] = graph.degree(node);
            if (degree[node] == 1) {
                taken[filled++] = node;
            }
        }
        for (int i = 0; i < filled; i++) {
            int at = taken[i];
            degree[at] = 0;
            for (int entry = graph.firstNeighbor(at); entry < graph.firstNeighbor(at + 1); entry++) {
                int other = graph.neighbor(entry);
                if (degree[other] > 0) {
                    up[at] = other;
                    if (--degree[other] == 1) {
                        taken[filled++] = other;
                    }
                }
            }
        }
        return new TwoCore(Arrays.copyOf(taken, filled), up);
    }

    /**
     * By node, the one that is left through which it is connected, itself where it is left; each itself where nothing would be left,
     * as in a tree or a chain.
     */
    public static int[] holders(Graph graph) {
        TwoCore core = of(graph);
        int[] holder = new int[graph.size()];
        int cabled = 0;
        for (int node = 0; node < holder.length; node++) {
            holder[node] = node;
            cabled += graph.degree(node) > 0 ? 1 : 0;
        }
        for (int i = core.taken.length - 1; i >= 0 && core.taken.length < cabled; i--) {
            int at = core.taken[i];
            holder[at] = core.up[at] < 0 ? at : holder[core.up[at]];
        }
        return holder;
    }
}
