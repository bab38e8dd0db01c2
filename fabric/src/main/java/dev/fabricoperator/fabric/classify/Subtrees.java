/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/** What stays connected, by cables between neighbouring levels, when everything above a level is taken away. */
final class Subtrees {
    private Subtrees() {}

    /** Per switch the smallest switch of its subtree; -1 above the level and out of reach. */
    static int[] upTo(Topology topology, int[] levels, int level) {
        int[] subtree = new int[levels.length];
        Arrays.fill(subtree, -1);
        int[] queue = new int[levels.length];
        for (int start = 0; start < levels.length; start++) {
            if (subtree[start] >= 0 || levels[start] < 1 || levels[start] > level) {
                continue;
            }
            subtree[start] = start;
            queue[0] = start;
            int filled = 1;
            for (int i = 0; i < filled; i++) {
                int at = queue[i];
                for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                    int neighbor = topology.neighbor(n);
                    if (subtree[neighbor] < 0 && levels[neighbor] <= level && levels[neighbor] != levels[at]) {
                        subtree[neighbor] = start;
                        queue[filled++] = neighbor;
                    }
                }
            }
        }
        return subtree;
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
