/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Leaves that are cabled directly to the core switches of a tree, while other leaves have spines between: storage and login
 * nodes often stand there. Counted from such a leaf, a core switch would be on the level of a spine.
 *
 * <p>They show by switches next to leaves that are also next to each other: of two such, the one with fewer leaves is the
 * upper one. A leaf whose switches are upper ones is a leaf of the top.
 */
final class TopLeaves {
    private TopLeaves() {}

    /**
     * The leaves that do not stand at the top; {@code null} where none or too many do.
     *
     * @param leaf by edge, which ones are leaves
     */
    static boolean @Nullable [] without(Topology topology, EdgeHops hops, boolean[] leaf) {
        int[] leavesOf = leavesOf(topology, hops, leaf);
        boolean[] upper = upper(topology, hops, leaf, leavesOf);
        boolean[] low = leaf.clone();
        int leaves = 0;
        int atTop = 0;
        for (int edge = 0; edge < leaf.length; edge++) {
            if (leaf[edge]) {
                leaves++;
                if (hangsOn(topology, hops.switchOf(edge), upper)) {
                    low[edge] = false;
                    atTop++;
                }
            }
        }
        return atTop == 0 || atTop > Thresholds.FEW_ELSEWHERE * leaves ? null : low;
    }

    private static boolean isLeaf(EdgeHops hops, boolean[] leaf, int s) {
        int edge = hops.edgeOf(s);
        return edge >= 0 && leaf[edge];
    }

    /** Of each switch, how many leaves it is next to; 0 for leaves. */
    private static int[] leavesOf(Topology topology, EdgeHops hops, boolean[] leaf) {
        int[] count = new int[topology.switches()];
        for (int s = 0; s < count.length; s++) {
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                count[s] += !isLeaf(hops, leaf, s) && isLeaf(hops, leaf, topology.neighbor(n)) ? 1 : 0;
            }
        }
        return count;
    }

    /** Switches next to leaves, all of whose neighbours that are next to leaves as well have more of them. */
    private static boolean[] upper(Topology topology, EdgeHops hops, boolean[] leaf, int[] leavesOf) {
        boolean[] upper = new boolean[leavesOf.length];
        for (int s = 0; s < upper.length; s++) {
            boolean beside = false;
            boolean fewest = leavesOf[s] > 0;
            for (int n = topology.firstNeighbor(s); fewest && n < topology.firstNeighbor(s + 1); n++) {
                int other = topology.neighbor(n);
                if (!isLeaf(hops, leaf, other) && leavesOf[other] > 0) {
                    beside = true;
                    fewest = leavesOf[other] > leavesOf[s];
                }
            }
            upper[s] = beside && fewest;
        }
        return upper;
    }

    private static boolean hangsOn(Topology topology, int s, boolean[] upper) {
        int from = topology.firstNeighbor(s);
        int to = topology.firstNeighbor(s + 1);
        int found = 0;
        for (int n = from; n < to; n++) {
            found += upper[topology.neighbor(n)] ? 1 : 0;
        }
        return found > 0 && found >= Thresholds.UPPER_ONES * (to - from);
    }
}
