/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classifier;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Single cables that make one irregular fabric of two regular ones: without such a cable the fabric falls in two parts, each of which
 * is of a kind.
 *
 * <p>Cost: O(switches + neighbours), and one classification of each part of at most {@value #MAX_TRIALS} cables, those that part the
 * fabric most evenly.
 *
 * @see "Tarjan, A note on finding the bridges of a graph, 1974"
 */
final class Bridges {
    private static final int MAX_TRIALS = 4;

    /** Switches with devices in the smaller part. */
    private static final int SMALLEST_PART = 3;

    private final Topology topology;
    private final int[] order;
    private final int[] parent;
    private final int[] low;
    private final int[] number;
    /** By switch, the neighbour that the search looks at next. */
    private final int[] next;
    /** Switches with devices below each one in the tree of the search. */
    private final int[] below;

    private int visited;

    private Bridges(Topology topology) {
        this.topology = topology;
        int switches = topology.switches();
        order = new int[switches];
        parent = new int[switches];
        low = new int[switches];
        number = new int[switches];
        next = new int[switches];
        below = new int[switches];
        Arrays.fill(number, -1);
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                below[topology.endSwitch(end)] = 1;
            }
        }
    }

    /** @param lower the switch at its far end from the root of the search, and what is below it is one part */
    private record Bridge(int upper, int lower, int smaller) {}

    static List<Finding> of(Topology topology) {
        Bridges bridges = new Bridges(topology);
        List<Bridge> found = bridges.find();
        found.sort(Comparator.comparingInt(bridge -> -bridge.smaller()));
        List<Finding> findings = new ArrayList<>();
        for (Bridge bridge : found.subList(0, Math.min(MAX_TRIALS, found.size()))) {
            Finding finding = bridges.finding(bridge);
            if (finding != null) {
                findings.add(finding);
            }
        }
        return findings;
    }

    private List<Bridge> find() {
        List<Bridge> found = new ArrayList<>();
        for (int root = 0; root < number.length; root++) {
            if (number[root] >= 0) {
                continue;
            }
            int first = visited;
            walk(root);
            for (int i = visited - 1; i > first; i--) {
                int at = order[i];
                int up = parent[at];
                low[up] = Math.min(low[up], low[at]);
                below[up] += below[at];
            }
            for (int i = first + 1; i < visited; i++) {
                int at = order[i];
                int smaller = Math.min(below[at], below[root] - below[at]);
                if (low[at] == number[at] && cables(parent[at], at) == 1 && smaller >= SMALLEST_PART) {
                    found.add(new Bridge(parent[at], at, smaller));
                }
            }
        }
        return found;
    }

    /** Depth first without recursion: a chain may be as long as there are switches. */
    private void walk(int root) {
        int at = root;
        parent[root] = -1;
        visit(root);
        while (at >= 0) {
            if (next[at] == topology.firstNeighbor(at + 1)) {
                at = parent[at];
                continue;
            }
            int neighbor = topology.neighbor(next[at]++);
            if (number[neighbor] < 0) {
                parent[neighbor] = at;
                visit(neighbor);
                at = neighbor;
            } else if (neighbor != parent[at]) {
                low[at] = Math.min(low[at], number[neighbor]);
            }
        }
    }

    private void visit(int at) {
        order[visited] = at;
        number[at] = visited;
        low[at] = visited++;
        next[at] = topology.firstNeighbor(at);
    }

    private int cables(int one, int other) {
        for (int n = topology.firstNeighbor(one); n < topology.firstNeighbor(one + 1); n++) {
            if (topology.neighbor(n) == other) {
                return topology.neighborCables(n);
            }
        }
        return 0;
    }

    private @Nullable Finding finding(Bridge bridge) {
        boolean[] isBelow = new boolean[number.length];
        isBelow[bridge.lower()] = true;
        for (int i = number[bridge.lower()] + 1; i < visited; i++) {
            isBelow[order[i]] = parent[order[i]] >= 0 && isBelow[parent[order[i]]];
        }
        FabricKind one = kindOf(isBelow, false);
        FabricKind other = one == FabricKind.Irregular ? one : kindOf(isBelow, true);
        if (other == FabricKind.Irregular) {
            return null;
        }
        String near = topology.switchId(bridge.upper());
        String far = topology.switchId(bridge.lower());
        return new Finding(
                FindingType.Bridge,
                near + " to " + far,
                "one cable, between switches " + near + " and " + far + ", joins a " + one + " and a " + other
                        + "; without it they are two fabrics");
    }

    private FabricKind kindOf(boolean[] isBelow, boolean below) {
        boolean[] uncabled = new boolean[topology.ends()];
        boolean[] alone = new boolean[isBelow.length];
        for (int s = 0; s < alone.length; s++) {
            alone[s] = isBelow[s] != below;
        }
        for (int end = 0; end < uncabled.length; end++) {
            int at = topology.endSwitch(end);
            uncabled[end] = at >= 0 && alone[at];
        }
        return Classifier.classify(topology.without(uncabled, alone)).kind();
    }
}
