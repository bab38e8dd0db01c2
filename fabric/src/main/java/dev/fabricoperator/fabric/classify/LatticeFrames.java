/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Where to begin with a grid: a node and ways from it that are pairwise perpendicular, one per axis. */
final class LatticeFrames {
    /** Rings of four count twice. */
    static final int MAX_AXES = 12;

    /** Nodes that are considered as origin. */
    private static final int ORIGINS = 256;

    /** Longer rows of parallel cables do not make a better origin. */
    private static final int SIZE_THAT_TELLS = 4;

    private LatticeFrames() {}

    /** Frames of a sample of nodes, those with most axes first, then those of nodes that know most. */
    static List<int[]> of(Subgraph graph, ParallelCables cables) {
        List<int[]> frames = new ArrayList<>();
        Map<int[], Integer> evidence = new IdentityHashMap<>();
        int step = Math.max(1, graph.size() / ORIGINS);
        for (int node = 0; node < graph.size(); node += step) {
            if (graph.degree(node) <= 2 * MAX_AXES) {
                int[] frame = frame(graph, cables, node);
                int size = 0;
                for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                    size += Math.min(cables.size(cables.classOf(e)), SIZE_THAT_TELLS);
                }
                evidence.put(frame, size);
                frames.add(frame);
            }
        }
        frames.sort(Comparator.<int[]>comparingInt(frame -> -frame.length)
                .thenComparingInt(frame -> -evidence.getOrDefault(frame, 0)));
        return frames;
    }

    /** Ways to a largest set of neighbours that are pairwise perpendicular, as far as a greedy search finds it. */
    private static int[] frame(Subgraph graph, ParallelCables cables, int node) {
        int degree = graph.degree(node);
        int base = graph.firstNeighbor(node);
        int[] perpendicular = new int[degree];
        for (int i = 0; i < degree; i++) {
            for (int j = 0; j < i; j++) {
                if (cables.arePerpendicular(cables.classOf(base + i), cables.classOf(base + j))) {
                    perpendicular[i] |= 1 << j;
                    perpendicular[j] |= 1 << i;
                }
            }
        }
        int best = 0;
        for (int start = 0; start < degree; start++) {
            int clique = 1 << start;
            int candidates = perpendicular[start];
            while (candidates != 0) {
                int next = Integer.numberOfTrailingZeros(candidates);
                for (int rest = candidates; rest != 0; rest &= rest - 1) {
                    int i = Integer.numberOfTrailingZeros(rest);
                    boolean more = Integer.bitCount(perpendicular[i] & candidates)
                            > Integer.bitCount(perpendicular[next] & candidates);
                    next = more ? i : next;
                }
                clique |= 1 << next;
                candidates &= perpendicular[next];
            }
            best = Integer.bitCount(clique) > Integer.bitCount(best) ? clique : best;
        }
        int[] frame = new int[Integer.bitCount(best)];
        int filled = 0;
        for (int rest = best; rest != 0; rest &= rest - 1) {
            frame[filled++] = base + Integer.numberOfTrailingZeros(rest);
        }
        return frame;
    }
}
