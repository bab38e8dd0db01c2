/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers a fabric that consists of groups: groups by their smallest switch, switches within a group by id, first those of
 * the pattern, then others that hold devices. A switch outside all groups joins the nearest group; one without a link joins
 * the smallest group.
 */
final class GroupedFabric {
    private GroupedFabric() {}

    /**
     * @param groupOf per switch any number that its group alone has; -1 for one outside the pattern
     * @param numbered switches of the pattern that have a number in their group, with or without devices
     */
    static Classification classify(
            Topology topology, EdgeHops hops, FabricKind kind, int[] groupOf, boolean[] numbered) {
        int[] group = dense(groupOf);
        int groups = Arrays.stream(group).max().orElse(-1) + 1;
        int[] sizes = new int[groups];
        for (int s = 0; s < group.length; s++) {
            if (group[s] >= 0) {
                sizes[group[s]]++;
            }
        }
        attach(topology, group);
        for (int s = 0; s < group.length; s++) {
            if (group[s] < 0 && hops.edgeOf(s) >= 0) {
                group[s] = smallest(sizes);
                sizes[group[s]]++;
            }
        }
        int[] number = new int[group.length];
        Arrays.fill(number, -1);
        int[] next = new int[groups];
        for (boolean pattern : new boolean[] {true, false}) {
            for (int s = 0; s < group.length; s++) {
                boolean holds = hops.edgeOf(s) >= 0;
                if (group[s] >= 0 && (pattern ? numbered[s] : holds && !numbered[s])) {
                    number[s] = next[group[s]]++;
                }
            }
        }
        int[] first = new int[group.length];
        Arrays.setAll(first, s -> number[s] < 0 ? -1 : group[s]);
        return new Classification(
                kind,
                BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0),
                new int[][] {first, number},
                1,
                new int[group.length],
                new int[topology.ends()],
                groups,
                group,
                Groups.byHost(topology, group, groups).ofEnd());
    }

    /** The same groups numbered from 0 by their smallest switch, without gaps; -1 stays. */
    static int[] dense(int[] groupOf) {
        // Labels of a fabric that had more groups may be larger than the number of its switches.
        Map<Integer, Integer> numbers = new HashMap<>();
        int[] group = new int[groupOf.length];
        for (int s = 0; s < groupOf.length; s++) {
            int next = numbers.size();
            group[s] = groupOf[s] < 0 ? -1 : numbers.computeIfAbsent(groupOf[s], label -> next);
        }
        return group;
    }

    private static int smallest(int[] sizes) {
        int smallest = 0;
        for (int group = 1; group < sizes.length; group++) {
            smallest = sizes[group] < sizes[smallest] ? group : smallest;
        }
        return smallest;
    }

    /** Each switch gets the group nearest to it. */
    private static void attach(Topology topology, int[] group) {
        BreadthFirst search = BreadthFirst.from(topology, s -> group[s] >= 0);
        for (int s : search.order()) {
            group[s] = search.parent(s) < 0 ? group[s] : group[search.parent(s)];
        }
    }
}
