/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Bundles with fewer cables than both of their switches usually have in a bundle of that direction. */
final class MissingCables {
    private MissingCables() {}

    static List<Finding> of(Wiring wiring) {
        Topology topology = wiring.topology();
        long[][] usual = usual(wiring);
        List<Finding> found = new ArrayList<>();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int far = topology.neighbor(n);
                int cables = topology.neighborCables(n);
                long here = usual[at][1 + direction(wiring, at, far)];
                long there = usual[far][1 + direction(wiring, far, at)];
                if (wiring.first(at, far) && cables < here && cables < there) {
                    found.add(new Finding(
                            FindingType.MissingUplink,
                            topology.switchId(at) + " to " + topology.switchId(far),
                            cables + " of " + Math.min(here, there) + " links between switches " + topology.switchId(at)
                                    + " and " + topology.switchId(far)));
                }
            }
        }
        return found;
    }

    private static int direction(Wiring wiring, int from, int to) {
        return Integer.signum(wiring.level(to) - wiring.level(from));
    }

    /** Cables of most bundles of each switch down, across and up; else of most of its level; else 0. */
    private static long[][] usual(Wiring wiring) {
        Topology topology = wiring.topology();
        Map<Integer, Wiring.Votes[]> ofLevel = new HashMap<>();
        Wiring.Votes[][] ofSwitch = new Wiring.Votes[topology.switches()][];
        for (int at = 0; at < topology.switches(); at++) {
            Wiring.Votes[] own = {new Wiring.Votes(), new Wiring.Votes(), new Wiring.Votes()};
            Wiring.Votes[] all = ofLevel.computeIfAbsent(wiring.level(at), l ->
                    new Wiring.Votes[] {new Wiring.Votes(), new Wiring.Votes(), new Wiring.Votes()});
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int direction = 1 + direction(wiring, at, topology.neighbor(n));
                own[direction].add(topology.neighborCables(n), 1);
                all[direction].add(topology.neighborCables(n), 1);
            }
            ofSwitch[at] = own;
        }
        long[][] usual = new long[topology.switches()][3];
        for (int at = 0; at < topology.switches(); at++) {
            for (int direction = 0; direction < 3; direction++) {
                Wiring.Votes own = ofSwitch[at][direction];
                Wiring.Votes all = Objects.requireNonNull(ofLevel.get(wiring.level(at)))[direction];
                boolean clear = own.total() > 1 && own.share() >= Wiring.PATTERN;
                Wiring.Votes votes = clear ? own : all;
                usual[at][direction] = clear || all.total() > 2 && all.share() >= Wiring.PATTERN ? votes.winner() : 0;
            }
        }
        return usual;
    }
}
