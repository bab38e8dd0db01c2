/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A dragonfly with the groups of the generation before, as long as switches have more links to their own group than to any
 * other, and most pairs of groups have links.
 */
final class KeptGroups {
    private KeptGroups() {}

    /** {@code null} where the wiring is something else now. */
    static @Nullable Classification of(Topology topology, EdgeHops hops, PreviousNumbers before) {
        int[] groupOf = GroupedFabric.dense(before.groupOfSwitch());
        int groups = Arrays.stream(groupOf).max().orElse(-1) + 1;
        int[] sizes = new int[groups];
        int known = 0;
        for (int group : groupOf) {
            known += group >= 0 ? 1 : 0;
        }
        if (groups < 2 || known < Thresholds.AT_HOME * groupOf.length) {
            return null;
        }
        Map<Long, Integer> joined = new HashMap<>();
        for (int s = 0; s < groupOf.length; s++) {
            if (groupOf[s] >= 0) {
                sizes[groupOf[s]]++;
                for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                    int other = groupOf[topology.neighbor(n)];
                    if (other >= 0 && other < groupOf[s]) {
                        joined.merge((long) groupOf[s] << 32 | other, 1, Integer::sum);
                    }
                }
            }
        }
        if (!mostAreJoined(joined, sizes) || atHome(topology, groupOf, sizes) < Thresholds.AT_HOME * known) {
            return null;
        }
        boolean[] numbered = new boolean[groupOf.length];
        for (int s = 0; s < numbered.length; s++) {
            numbered[s] = groupOf[s] >= 0;
        }
        return GroupedFabric.classify(topology, hops, FabricKind.Dragonfly, groupOf, numbered);
    }

    /** @param joined by pair of groups how many pairs of switches are neighbours */
    private static boolean mostAreJoined(Map<Long, Integer> joined, int[] sizes) {
        for (Map.Entry<Long, Integer> pair : joined.entrySet()) {
            long one = sizes[(int) (pair.getKey() >>> 32)];
            long other = sizes[pair.getKey().intValue()];
            if (pair.getValue() > Thresholds.SPARSE * one * other) {
                return false;
            }
        }
        return joined.size() >= Thresholds.KEPT_JOINED * sizes.length * (sizes.length - 1) / 2;
    }

    /**
     * Counts the switches that have links to no larger share of another group than of their own; moves the others to the
     * group to which they have most.
     */
    private static int atHome(Topology topology, int[] groupOf, int[] sizes) {
        int[] neighbors = new int[sizes.length];
        int count = 0;
        for (int s = 0; s < groupOf.length; s++) {
            if (groupOf[s] < 0) {
                continue;
            }
            Arrays.fill(neighbors, 0);
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int group = groupOf[topology.neighbor(n)];
                neighbors[Math.max(group, 0)] += group >= 0 ? 1 : 0;
            }
            double own = neighbors[groupOf[s]] / Math.max(1.0, sizes[groupOf[s]] - 1);
            int nearest = groupOf[s];
            double most = own;
            for (int group = 0; group < sizes.length; group++) {
                if (group != groupOf[s] && neighbors[group] > most * sizes[group]) {
                    nearest = group;
                    most = neighbors[group] / (double) sizes[group];
                }
            }
            count += nearest == groupOf[s] ? 1 : 0;
            groupOf[s] = nearest;
        }
        return count;
    }
}
