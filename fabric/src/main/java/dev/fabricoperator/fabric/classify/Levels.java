/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.function.IntPredicate;

/** Distance of every switch from a set of switches, breadth first. */
public final class Levels {
    private Levels() {}

    /** 1 for the switches that {@code start} accepts, 2 for their neighbours, and so on; -1 out of reach. */
    public static int[] from(Topology topology, IntPredicate start) {
        int switches = topology.switches();
        int[] level = new int[switches];
        Arrays.fill(level, -1);
        int[] queue = new int[switches];
        int filled = 0;
        for (int s = 0; s < switches; s++) {
            if (start.test(s)) {
                level[s] = 1;
                queue[filled++] = s;
            }
        }
        for (int i = 0; i < filled; i++) {
            int at = queue[i];
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int neighbor = topology.neighbor(n);
                if (level[neighbor] < 0) {
                    level[neighbor] = level[at] + 1;
                    queue[filled++] = neighbor;
                }
            }
        }
        return level;
    }
}
