/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;

/** What is left where switches with a single neighbour are taken away, again and again: what hangs off a ring or grid goes. */
public final class TwoCore {
    private TwoCore() {}

    /**
     * By switch, the one that is left through which it is connected, itself where it is left; each itself where nothing would be left,
     * as in a tree or a chain. Cost: O(switches + neighbours).
     */
    public static int[] holders(Topology topology) {
        int switches = topology.switches();
        int[] degree = new int[switches];
        int[] queue = new int[switches];
        int filled = 0;
        for (int s = 0; s < switches; s++) {
            degree[s] = topology.firstNeighbor(s + 1) - topology.firstNeighbor(s);
            if (degree[s] == 1) {
                queue[filled++] = s;
            }
        }
        int[] up = new int[switches];
        for (int s = 0; s < switches; s++) {
            up[s] = s;
        }
        for (int i = 0; i < filled; i++) {
            int at = queue[i];
            degree[at] = 0;
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int other = topology.neighbor(n);
                if (degree[other] > 0) {
                    up[at] = other;
                    if (--degree[other] == 1) {
                        queue[filled++] = other;
                    }
                }
            }
        }
        boolean isEmpty = true;
        for (int s = 0; s < switches; s++) {
            isEmpty &= degree[s] == 0;
        }
        int[] holder = new int[switches];
        for (int s = 0; s < switches; s++) {
            holder[s] = s;
        }
        for (int i = filled - 1; i >= 0 && !isEmpty; i--) {
            holder[queue[i]] = holder[up[queue[i]]];
        }
        return holder;
    }
}
