/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;

/** What stays connected, by cables between neighbouring levels, when everything above a level is taken away. */
final class Subtrees {
    private Subtrees() {}

    /** Per switch the smallest switch of its subtree; -1 above the level and out of reach. */
    static int[] upTo(Topology topology, int[] levels, int level) {
        return BreadthFirst.components(
                topology,
                start -> levels[start] >= 1 && levels[start] <= level,
                (from, entry) ->
                        levels[topology.neighbor(entry)] <= level && levels[topology.neighbor(entry)] != levels[from]);
    }

    /** Number of subtrees that hold leaves. */
    static int count(int[] subtrees, EdgeHops hops, boolean[] leaf) {
        boolean[] seen = new boolean[subtrees.length];
        int count = 0;
        for (int edge = 0; edge < leaf.length; edge++) {
            if (leaf[edge] && !seen[subtrees[hops.switchOf(edge)]]) {
                seen[subtrees[hops.switchOf(edge)]] = true;
                count++;
            }
        }
        return count;
    }
}
