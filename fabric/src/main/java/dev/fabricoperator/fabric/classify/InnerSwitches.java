/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;

/**
 * Tells inner switches with devices from leaves. Leaves have no links to each other, so the inner switches are a vertex
 * cover of the links between switches with devices; a small one is approximated greedily, by most such links first.
 */
final class InnerSwitches {
    private InnerSwitches() {}

    /**
     * Of the switches that hold devices and are {@code among} them, those that are leaves; none where too many would be
     * inner ones. Cost: O(s * s + links).
     */
    static boolean[] leaves(Topology topology, EdgeHops hops, boolean[] among) {
        boolean[] leaf = among.clone();
        int inner = 0;
        int[] cross = new int[leaf.length];
        for (int edge = 0; edge < leaf.length; edge++) {
            cross[edge] = crossLinks(topology, hops, leaf, edge);
        }
        for (int most = most(topology, hops, cross); cross[most] > 0; most = most(topology, hops, cross)) {
            leaf[most] = false;
            cross[most] = 0;
            if (++inner > Thresholds.INNER_SWITCHES * leaf.length) {
                return new boolean[leaf.length];
            }
            int s = hops.switchOf(most);
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int neighbor = hops.edgeOf(topology.neighbor(n));
                if (neighbor >= 0 && leaf[neighbor]) {
                    cross[neighbor]--;
                }
            }
        }
        return leaf;
    }

    private static int crossLinks(Topology topology, EdgeHops hops, boolean[] leaf, int edge) {
        int s = hops.switchOf(edge);
        int count = 0;
        for (int n = topology.firstNeighbor(s); leaf[edge] && n < topology.firstNeighbor(s + 1); n++) {
            int neighbor = hops.edgeOf(topology.neighbor(n));
            count += neighbor >= 0 && leaf[neighbor] ? 1 : 0;
        }
        return count;
    }

    /** Most cables to other leaves; then most neighbours, then fewest devices, then the smallest. */
    private static int most(Topology topology, EdgeHops hops, int[] cross) {
        int best = 0;
        long bestRank = -1;
        for (int edge = 0; edge < cross.length; edge++) {
            int s = hops.switchOf(edge);
            long neighbors = (long) topology.degree(s);
            long rank = (long) cross[edge] << 40 | neighbors << 20 | 0xfffff - Math.min(hops.devices(edge), 0xfffff);
            if (rank > bestRank) {
                bestRank = rank;
                best = edge;
            }
        }
        return best;
    }
}
