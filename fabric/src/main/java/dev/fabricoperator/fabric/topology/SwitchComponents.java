/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Connected components of the switches of a topology, each known by a switch of its own. */
public final class SwitchComponents {
    private SwitchComponents() {}

    /** Whether the cables from a switch to a neighbour of it count. */
    public interface Joining {
        boolean joins(int from, int to);
    }

    /** Per switch the smallest one that cables join it to, by whatever way. O(switches and pairs of neighbours). */
    public static int[] of(Topology topology) {
        return of(topology, start -> true, (from, to) -> true);
    }

    /** Per switch the smallest of those that {@code start} accepts from which it is reached; -1 where there is none. */
    public static int[] of(Topology topology, IntPredicate start, Joining cables) {
        int[] component = new int[topology.switches()];
        Arrays.fill(component, -1);
        int[] queue = new int[component.length];
        for (int first = 0; first < component.length; first++) {
            if (component[first] >= 0 || !start.test(first)) {
                continue;
            }
            component[first] = first;
            queue[0] = first;
            int filled = 1;
            for (int i = 0; i < filled; i++) {
                int at = queue[i];
                for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                    int neighbor = topology.neighbor(n);
                    if (component[neighbor] < 0 && cables.joins(at, neighbor)) {
                        component[neighbor] = first;
                        queue[filled++] = neighbor;
                    }
                }
            }
        }
        return component;
    }
}
