/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classifier;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.graph.LowPoints;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Single cables that make one irregular fabric of two regular ones: without such a cable the fabric falls in two parts, each of which
 * is of a kind.
 *
 * <p>Cost: O(switches + neighbours), and one classification of each part of at most {@value #MAX_TRIALS} cables, those that part the
 * fabric most evenly.
 */
final class Bridges {
    private static final int MAX_TRIALS = 4;

    /** Switches with devices in the smaller part. */
    private static final int SMALLEST_PART = 3;

    private final ClassifiedTopology wiring;
    private final Topology topology;
    private final LowPoints points;
    /** Switches with devices below each one in the tree of the search. */
    private final int[] below;

    private Bridges(ClassifiedTopology wiring) {
        this.wiring = wiring;
        topology = wiring.topology();
        points = LowPoints.of(topology);
        below = new int[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                below[topology.endSwitch(end)] = 1;
            }
        }
    }

    /** @param lower the switch at its far end from the root of the search, and what is below it is one part */
    private record Bridge(int upper, int lower, int smaller) {}

    static List<Finding> of(ClassifiedTopology wiring) {
        Bridges bridges = new Bridges(wiring);
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
        int[] order = points.order();
        for (int i = order.length - 1; i >= 0; i--) {
            int up = points.parent()[order[i]];
            if (up >= 0) {
                below[up] += below[order[i]];
            }
        }
        int root = -1;
        for (int at : order) {
            int up = points.parent()[at];
            root = up < 0 ? at : root;
            int smaller = Math.min(below[at], below[root] - below[at]);
            if (up >= 0
                    && points.low()[at] == points.number()[at]
                    && topology.neighborCables(topology.entry(up, at)) == 1
                    && smaller >= SMALLEST_PART) {
                found.add(new Bridge(up, at, smaller));
            }
        }
        return found;
    }

    private @Nullable Finding finding(Bridge bridge) {
        int[] order = points.order();
        boolean[] isBelow = new boolean[order.length];
        isBelow[bridge.lower()] = true;
        for (int i = points.number()[bridge.lower()] + 1; i < order.length; i++) {
            int up = points.parent()[order[i]];
            isBelow[order[i]] = up >= 0 && isBelow[up];
        }
        FabricKind one = kindOf(isBelow, false);
        FabricKind other = one == FabricKind.Irregular ? one : kindOf(isBelow, true);
        if (other == FabricKind.Irregular) {
            return null;
        }
        int cable = topology.firstCable(topology.entry(bridge.upper(), bridge.lower()));
        Finding.Place near = wiring.place(bridge.upper(), topology.cablePort(cable));
        Finding.Place far = wiring.place(bridge.lower(), topology.cableFarPort(cable));
        return new Finding(
                FindingType.Bridge,
                near.id() + " to " + far.id(),
                near.words() + " to " + far.words() + ": this one cable joins a " + one + " and a " + other
                        + "; without it they are two fabrics",
                near,
                far);
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
