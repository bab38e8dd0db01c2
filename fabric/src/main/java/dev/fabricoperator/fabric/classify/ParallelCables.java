/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.DisjointSets;
import java.util.Arrays;

/**
 * Directed edges, grouped by what cycles of four prove: opposite sides are parallel, adjacent sides are perpendicular,
 * whatever other cables are missing. An edge is an entry of the graph's neighbours.
 *
 * <p>Cost: O(n * d * d * d) steps for n nodes with d neighbours, which are few in a grid.
 */
final class ParallelCables {
    /** A node with more neighbours is none of a grid. */
    private static final int MAX_DEGREE = 32;

    private final Subgraph graph;
    private final int[] reverse;
    private final int[] classOf;
    private final int[] opposite;
    private final Lists members;
    private final Lists perpendicular;

    /** Lists of numbers one behind the other: list i is {@code values[first[i]]} to {@code values[first[i + 1]]}. */
    private record Lists(int[] first, int[] values) {
        /** @param pairs list above, value below, in any order and repeatedly */
        static Lists of(int lists, long[] pairs, int count) {
            Arrays.sort(pairs, 0, count);
            int[] first = new int[lists + 1];
            int[] values = new int[count];
            int filled = 0;
            for (int i = 0; i < count; i++) {
                if (i == 0 || pairs[i] != pairs[i - 1]) {
                    values[filled++] = (int) pairs[i];
                    first[(int) (pairs[i] >>> 32) + 1]++;
                }
            }
            for (int i = 0; i < lists; i++) {
                first[i + 1] += first[i];
            }
            return new Lists(first, values);
        }

        int[] list(int i) {
            return Arrays.copyOfRange(values, first[i], first[i + 1]);
        }

        boolean contains(int i, int value) {
            return Arrays.binarySearch(values, first[i], first[i + 1], value) >= 0;
        }
    }

    ParallelCables(Subgraph graph) {
        this.graph = graph;
        int entries = graph.entries();
        reverse = new int[entries];
        for (int node = 0; node < graph.size(); node++) {
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                reverse[e] = graph.entry(graph.neighbor(e), node);
            }
        }
        DisjointSets sets = new DisjointSets(entries);
        long[] corners = squares(sets);
        classOf = new int[entries];
        int[] number = new int[entries];
        int classes = 0;
        for (int e = 0; e < entries; e++) {
            int root = sets.root(e);
            if (number[root] == 0) {
                number[root] = ++classes;
            }
            classOf[e] = number[root] - 1;
        }
        opposite = new int[classes];
        long[] pairs = new long[entries];
        for (int e = 0; e < entries; e++) {
            opposite[classOf[e]] = classOf[reverse[e]];
            pairs[e] = (long) classOf[e] << 32 | e;
        }
        members = Lists.of(classes, pairs, entries);
        perpendicular = perpendicular(corners, classes);
    }

    /** Joins opposite sides of all cycles of four without short cuts; returns two sides that meet, for each. */
    private long[] squares(DisjointSets sets) {
        long[] corners = new long[64];
        int filled = 0;
        for (int node = 0; node < graph.size(); node++) {
            for (int i = graph.firstNeighbor(node);
                    graph.degree(node) <= MAX_DEGREE && i < graph.firstNeighbor(node + 1);
                    i++) {
                int one = graph.neighbor(i);
                for (int j = i + 1; one > node && j < graph.firstNeighbor(node + 1); j++) {
                    int other = graph.neighbor(j);
                    if (graph.joined(one, other)) {
                        continue;
                    }
                    int k = graph.firstNeighbor(one);
                    int l = graph.firstNeighbor(other);
                    while (k < graph.firstNeighbor(one + 1) && l < graph.firstNeighbor(other + 1)) {
                        int difference = graph.neighbor(k) - graph.neighbor(l);
                        if (difference == 0 && graph.neighbor(k) > node && !graph.joined(node, graph.neighbor(k))) {
                            sets.join(i, l);
                            sets.join(reverse[i], reverse[l]);
                            sets.join(j, k);
                            sets.join(reverse[j], reverse[k]);
                            corners = filled == corners.length ? Arrays.copyOf(corners, 2 * filled) : corners;
                            corners[filled++] = (long) i << 32 | j;
                        }
                        k += difference <= 0 ? 1 : 0;
                        l += difference >= 0 ? 1 : 0;
                    }
                }
            }
        }
        return Arrays.copyOf(corners, filled);
    }

    private Lists perpendicular(long[] corners, int classes) {
        long[] pairs = new long[8 * corners.length];
        int filled = 0;
        for (long corner : corners) {
            int one = classOf[(int) (corner >>> 32)];
            int other = classOf[(int) corner];
            for (int i : new int[] {one, opposite[one]}) {
                for (int j : new int[] {other, opposite[other]}) {
                    pairs[filled++] = (long) i << 32 | j;
                    pairs[filled++] = (long) j << 32 | i;
                }
            }
        }
        return Lists.of(classes, pairs, filled);
    }

    int classes() {
        return opposite.length;
    }

    /** Ways of one class run in one direction. */
    int classOf(int way) {
        return classOf[way];
    }

    /** The class of the reverse ways. */
    int opposite(int cls) {
        return opposite[cls];
    }

    int[] members(int cls) {
        return members.list(cls);
    }

    /** Number of ways of a class. */
    int size(int cls) {
        return members.first()[cls + 1] - members.first()[cls];
    }

    int reverse(int way) {
        return reverse[way];
    }

    /** Classes that run along other axes, as far as that is proven. */
    int[] perpendicular(int cls) {
        return perpendicular.list(cls);
    }

    boolean arePerpendicular(int cls, int other) {
        return perpendicular.contains(cls, other);
    }
}
