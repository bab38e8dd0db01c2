/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Bundles with fewer cables than both of their switches usually have in a bundle of that direction. */
final class MissingCables {
    private static final int FEWEST_WAYS = 3;

    /**
     * How the cables between two groups are spread over their switches follows no rule; {@link GroupPattern} counts them
     * together.
     */
    private static final int TO_ANOTHER_GROUP = -1;

    private MissingCables() {}

    static List<Finding> of(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
        long[][] usual = usual(wiring);
        List<Finding> found = new ArrayList<>();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int far = topology.neighbor(n);
                int cables = topology.neighborCables(n);
                int way = way(wiring, at, far);
                long here = way < 0 ? 0 : usual[at][way];
                long there = way < 0 ? 0 : usual[far][way(wiring, far, at)];
                if (wiring.first(at, far) && cables < here && cables < there) {
                    found.add(wiring.missingLinks(at, far, cables, Math.min(here, there)));
                }
            }
        }
        return found;
    }

    /**
     * Bundles are compared with those in the same direction: down, across or up; in a grid along the same axis, since axes
     * may have different numbers of cables.
     */
    private static int way(ClassifiedTopology wiring, int from, int to) {
        Classification found = wiring.classification();
        return switch (found.kind()) {
            case Torus, Mesh, HyperX -> {
                int axis = 0;
                while (axis + 1 < found.axes().length && found.axes()[axis][from] == found.axes()[axis][to]) {
                    axis++;
                }
                yield axis;
            }
            case Dragonfly, DragonflyPlus ->
                found.groupOfSwitch()[from] == found.groupOfSwitch()[to]
                        ? upOrDown(wiring, from, to)
                        : TO_ANOTHER_GROUP;
            case FatTree, RailOptimized, Irregular, Flat -> upOrDown(wiring, from, to);
        };
    }

    private static int upOrDown(ClassifiedTopology wiring, int from, int to) {
        return 1 + Integer.signum(wiring.level(to) - wiring.level(from));
    }

    /** Cables of most bundles of each switch each way; else of most of its level; else 0. */
    private static long[][] usual(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
        int ways = Math.max(FEWEST_WAYS, wiring.classification().axes().length);
        Map<Integer, Frequencies[]> ofLevel = new HashMap<>();
        Frequencies[][] ofSwitch = new Frequencies[topology.switches()][];
        for (int at = 0; at < topology.switches(); at++) {
            Frequencies[] own = counts(ways);
            Frequencies[] all = ofLevel.computeIfAbsent(wiring.level(at), l -> counts(ways));
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int way = way(wiring, at, topology.neighbor(n));
                if (way >= 0) {
                    own[way].add(topology.neighborCables(n), 1);
                    all[way].add(topology.neighborCables(n), 1);
                }
            }
            ofSwitch[at] = own;
        }
        long[][] usual = new long[topology.switches()][ways];
        for (int at = 0; at < topology.switches(); at++) {
            for (int way = 0; way < ways; way++) {
                Frequencies own = ofSwitch[at][way];
                Frequencies all = Objects.requireNonNull(ofLevel.get(wiring.level(at)))[way];
                boolean clear = own.total() > 1 && own.modeShare() >= ClassifiedTopology.PATTERN;
                Frequencies counts = clear ? own : all;
                usual[at][way] =
                        clear || all.total() > 2 && all.modeShare() >= ClassifiedTopology.PATTERN ? counts.mode() : 0;
            }
        }
        return usual;
    }

    private static Frequencies[] counts(int ways) {
        Frequencies[] counts = new Frequencies[ways];
        Arrays.setAll(counts, way -> new Frequencies());
        return counts;
    }
}
