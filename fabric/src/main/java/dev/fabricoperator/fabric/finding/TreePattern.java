/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.DeviceUse;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Links from a level to the next that peers have and a switch has not, and switches that groups have and a group has
 * not.
 *
 * <p>Peers of a switch are those of its level that share at least half of its neighbours above. A link is missing where
 * half of the peers of each of its ends have it and three quarters of both together: a switch that is cabled in its own way on purpose shares
 * that way with the others of its kind, or with nobody.
 */
final class TreePattern {
    private static final int ENOUGH_GROUPS = 3;

    private final ClassifiedTopology wiring;
    private final Topology topology;
    private final int[] shared;

    private TreePattern(ClassifiedTopology wiring) {
        this.wiring = wiring;
        topology = wiring.topology();
        shared = new int[topology.switches()];
    }

    static List<Finding> links(ClassifiedTopology wiring) {
        return new TreePattern(wiring).links();
    }

    static List<MissingSwitches> switches(ClassifiedTopology wiring) {
        return new TreePattern(wiring).switches();
    }

    /**
     * A group that has fewer switches on a level than most groups.
     *
     * @param members that it has
     * @param expected of most groups
     */
    record MissingSwitches(int group, int level, List<Integer> members, long expected) {
        /** @param consequence hosts that lack a device because of it */
        Finding finding(ClassifiedTopology wiring, HostPattern.@Nullable MissingRails consequence) {
            String message = wiring.names().words(group) + ": " + members.size() + " of " + expected
                    + " switches on level " + level + wiring.which(members);
            return new Finding(
                    FindingType.MissingSwitch,
                    "group " + group,
                    consequence == null ? message : message + "; because of it " + consequence.words(),
                    wiring.places(members),
                    consequence == null ? List.of() : consequence.hosts());
        }
    }

    private List<Finding> links() {
        Map<List<Integer>, List<Integer>> bySet = new HashMap<>();
        for (int at = 0; at < topology.switches(); at++) {
            List<Integer> up = neighbors(at, 1);
            if (!up.isEmpty()) {
                bySet.computeIfAbsent(up, k -> new ArrayList<>()).add(at);
            }
        }
        List<Finding> found = new ArrayList<>();
        bySet.forEach((up, members) -> {
            Shares above = usual(members.getFirst(), up, 1);
            for (int missing : above.peersByNeighbor.keySet()) {
                Shares below = usual(missing, neighbors(missing, -1), -1);
                for (int at : members) {
                    if (above.isUsual(missing, below, at)) {
                        found.add(wiring.missingLinks(at, missing, 0, cablesOfPeers(at, missing)));
                    }
                }
            }
        });
        return found;
    }

    /** By how many cables most switches of its level are joined to a neighbour of theirs. */
    private long cablesOfPeers(int at, int neighbor) {
        Frequencies cables = new Frequencies();
        for (int n = topology.firstNeighbor(neighbor); n < topology.firstNeighbor(neighbor + 1); n++) {
            if (wiring.level(topology.neighbor(n)) == wiring.level(at)) {
                cables.add(topology.neighborCables(n), 1);
            }
        }
        return Math.max(cables.mode(), 1);
    }

    private List<Integer> neighbors(int at, int direction) {
        List<Integer> found = new ArrayList<>();
        for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
            int far = topology.neighbor(n);
            if (wiring.level(far) - wiring.level(at) == direction) {
                found.add(far);
            }
        }
        return found;
    }

    /**
     * Neighbours of the peers of a switch that it has not.
     *
     * @param peers how many peers it has
     * @param peersByNeighbor how many of them have the neighbour, for those that at least half of them have
     */
    private record Shares(int peers, Map<Integer, Integer> peersByNeighbor) {
        /** Whether three quarters of the peers of both ends have the link: one end may have lost it to several others. */
        boolean isUsual(int above, Shares below, int here) {
            int have = peersByNeighbor.getOrDefault(above, 0) + below.peersByNeighbor.getOrDefault(here, 0);
            return below.peersByNeighbor.containsKey(here)
                    && have >= ClassifiedTopology.PATTERN * (peers + below.peers);
        }
    }

    private Shares usual(int at, List<Integer> own, int direction) {
        Arrays.fill(shared, 0);
        List<Integer> met = new ArrayList<>();
        for (int neighbor : own) {
            for (int peer : neighbors(neighbor, -direction)) {
                if (shared[peer]++ == 0 && peer != at) {
                    met.add(peer);
                }
            }
        }
        Map<Integer, Integer> counts = new TreeMap<>();
        int peers = 0;
        for (int peer : met) {
            List<Integer> theirs = neighbors(peer, direction);
            if (2 * shared[peer] >= Math.max(own.size(), theirs.size())) {
                peers++;
                theirs.forEach(t -> counts.merge(t, 1, Integer::sum));
            }
        }
        int half = (peers + 1) / 2;
        counts.keySet().removeAll(own);
        counts.values().removeIf(v -> v < Math.max(half, 1));
        return new Shares(peers, peers < 2 && direction > 0 ? Map.of() : counts);
    }

    /**
     * Whether the switches on the neighbouring level of a group have fewer neighbours than is usual there. If not, the
     * switch is present but on another level, like a leaf without hosts.
     */
    private boolean isFeltBeside(int level, int group) {
        int beside = level == 1 ? 2 : level - 1;
        Frequencies own = new Frequencies();
        Frequencies all = new Frequencies();
        for (int at = 0; at < topology.switches(); at++) {
            if (wiring.level(at) == beside) {
                int degree = topology.degree(at);
                all.add(degree, 1);
                if (wiring.classification().groupOfSwitch()[at] == group) {
                    own.add(degree, 1);
                }
            }
        }
        return own.mode() < all.mode();
    }

    /** Whether a switch joins groups other than its own, as a core switch does that holds service hosts. */
    private boolean isAboveGroups(int at) {
        int[] groups = wiring.classification().groupOfSwitch();
        int first = topology.firstNeighbor(at);
        boolean above = first < topology.firstNeighbor(at + 1);
        for (int n = first; n < topology.firstNeighbor(at + 1); n++) {
            int group = groups[topology.neighbor(n)];
            above &= group >= 0 && group != groups[at];
        }
        return above;
    }

    /** Groups that have fewer switches on a level than most groups. */
    private List<MissingSwitches> switches() {
        Set<Integer> common = new HashSet<>();
        Set<Integer> computing = new HashSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            boolean computes = wiring.classification().useOfEnd()[end] == DeviceUse.Compute;
            (computes ? computing : common).add(topology.endSwitch(end));
        }
        common.removeAll(computing);
        Map<Integer, Map<Integer, List<Integer>>> byLevel = new TreeMap<>();
        for (int at = 0; at < topology.switches(); at++) {
            int group = wiring.classification().groupOfSwitch()[at];
            if (group >= 0 && wiring.level(at) > 0 && !common.contains(at) && !isAboveGroups(at)) {
                byLevel.computeIfAbsent(wiring.level(at), l -> new TreeMap<>())
                        .computeIfAbsent(group, g -> new ArrayList<>())
                        .add(at);
            }
        }
        List<MissingSwitches> found = new ArrayList<>();
        byLevel.forEach((level, groups) -> {
            Frequencies sizes = new Frequencies();
            groups.values().forEach(members -> sizes.add(members.size(), 1));
            if (groups.size() < ENOUGH_GROUPS || sizes.modeShare() < ClassifiedTopology.PATTERN) {
                return;
            }
            groups.forEach((group, members) -> {
                if (members.size() < sizes.mode() && isFeltBeside(level, group)) {
                    found.add(new MissingSwitches(group, level, members, sizes.mode()));
                }
            });
        });
        return found;
    }
}
