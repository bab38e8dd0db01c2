/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import java.util.Arrays;

/**
 * Numbers from 0, at first each in a set of its own, whose sets are joined. What stands for a set is its smallest number, in whatever order they
 * were joined.
 *
 * <p>Cost: O(log n) for each call in the mean, O(n) space. Not thread-safe.
 *
 * @see "Tarjan and van Leeuwen, Worst-case analysis of set union algorithms, 1984 (path halving)"
 */
public final class DisjointSets {
    private final int[] parents;

    public DisjointSets(int size) {
        parents = new int[size];
        Arrays.setAll(parents, at -> at);
    }

    /** @return whether they were apart */
    public boolean join(int one, int other) {
        int a = root(one);
        int b = root(other);
        parents[Math.max(a, b)] = Math.min(a, b);
        return a != b;
    }

    public boolean areJoined(int one, int other) {
        return root(one) == root(other);
    }

    /** The smallest number of the set. */
    public int root(int number) {
        int at = number;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }
}
