/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Links between and inside the groups of a dragonfly, and routers of a group, that most others have. */
final class GroupPattern {
    /** From this share of all pairs on, a group is meant to have a link between every two of its routers. */
    private static final double COMPLETE = 0.85;

    /** The same where the groups of the fabric are complete: of four switches two pairs may be gone. */
    private static final double HALF = 0.5;

    /** A group that lacks more than one switch in eight was never meant to be as large as the others. */
    private static final double MOST_MISSING = 0.125;

    private final ClassifiedTopology wiring;
    private final Topology topology;
    private final int[] groupOfSwitch;
    private final Map<Integer, List<Integer>> members = new TreeMap<>();

    private GroupPattern(ClassifiedTopology wiring) {
        this.wiring = wiring;
        topology = wiring.topology();
        groupOfSwitch = wiring.classification().groupOfSwitch();
        for (int at = 0; at < topology.switches(); at++) {
            if (groupOfSwitch[at] >= 0) {
                members.computeIfAbsent(groupOfSwitch[at], g -> new ArrayList<>())
                        .add(at);
            }
        }
    }

    static List<Finding> of(ClassifiedTopology wiring) {
        GroupPattern pattern = new GroupPattern(wiring);
        List<Finding> found = new ArrayList<>(pattern.routers());
        found.addAll(pattern.between());
        boolean complete = pattern.areComplete();
        pattern.members.values().forEach(group -> found.addAll(pattern.inside(group, complete)));
        return found;
    }

    /** Links between the groups of a dragonfly+, whose inside is a tree. */
    static List<Finding> betweenTrees(ClassifiedTopology wiring) {
        return new GroupPattern(wiring).between();
    }

    private List<Finding> routers() {
        Frequencies counts = new Frequencies();
        members.values().forEach(group -> counts.add(group.size(), 1));
        List<Finding> found = new ArrayList<>();
        members.forEach((group, routers) -> {
            long missing = counts.mode() - routers.size();
            boolean few = missing > 0 && missing <= Math.max(1, MOST_MISSING * counts.mode());
            if (counts.modeShare() >= ClassifiedTopology.PATTERN && few) {
                found.add(new Finding(
                        FindingType.MissingSwitch,
                        "group " + group,
                        wiring.names().words(group) + ": " + routers.size() + " of " + counts.mode() + " switches"
                                + wiring.which(routers),
                        wiring.places(routers),
                        List.of()));
            }
        });
        return found;
    }

    private List<Finding> between() {
        Map<Long, Integer> links = new HashMap<>();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                int one = groupOfSwitch[at];
                int other = groupOfSwitch[topology.neighbor(n)];
                if (one >= 0 && one < other) {
                    links.merge(pair(one, other), topology.neighborCables(n), Integer::sum);
                }
            }
        }
        Frequencies counts = new Frequencies();
        links.values().forEach(count -> counts.add(count, 1));
        int pairs = members.size() * (members.size() - 1) / 2;
        if (pairs > links.size()) {
            counts.add(0, pairs - links.size());
        }
        List<Finding> found = new ArrayList<>();
        if (counts.modeShare() < ClassifiedTopology.PATTERN) {
            return found;
        }
        for (int one : members.keySet()) {
            for (int other : members.keySet()) {
                int count = links.getOrDefault(pair(one, other), 0);
                if (one < other && count < counts.mode()) {
                    found.add(new Finding(
                            FindingType.MissingUplink,
                            "group " + one + " to group " + other,
                            Stream.of(wiring.names().words(one), wiring.names().words(other))
                                            .sorted(NaturalOrder.INSTANCE)
                                            .collect(Collectors.joining(" to "))
                                    + ": " + count + " of " + counts.mode()
                                    + (counts.mode() == 1 ? " link" : " links")));
                }
            }
        }
        return found;
    }

    private static long pair(int one, int other) {
        return (long) one << 32 | other;
    }

    /** Whether the switches of nearly all groups are joined each with each: one pair is much of a small group. */
    private boolean areComplete() {
        int complete = 0;
        int groups = 0;
        for (List<Integer> group : members.values()) {
            if (group.size() > 2) {
                groups++;
                complete += isJoined(degrees(group), 1) ? 1 : 0;
            }
        }
        return groups > 0 && complete >= ClassifiedTopology.PATTERN * groups;
    }

    private int[] degrees(List<Integer> group) {
        int[] degree = new int[group.size()];
        for (int i = 0; i < degree.length; i++) {
            for (int n = topology.firstNeighbor(group.get(i)); n < topology.firstNeighbor(group.get(i) + 1); n++) {
                degree[i] += groupOfSwitch[topology.neighbor(n)] == groupOfSwitch[group.get(i)] ? 1 : 0;
            }
        }
        return degree;
    }

    /** Whether at least a share of all pairs is joined. */
    private static boolean isJoined(int[] degree, double share) {
        return degree.length > 2 && Arrays.stream(degree).sum() >= share * degree.length * (degree.length - 1);
    }

    private List<Finding> inside(List<Integer> group, boolean complete) {
        int[] degree = degrees(group);
        if (isJoined(degree, complete ? HALF : COMPLETE)) {
            return pairsInside(group);
        }
        Frequencies counts = new Frequencies();
        Arrays.stream(degree).forEach(each -> counts.add(each, 1));
        long expected = counts.modeShare() >= ClassifiedTopology.PATTERN ? counts.mode() : 0;
        List<Finding> found = new ArrayList<>();
        for (int i = 0; i < degree.length; i++) {
            if (degree[i] < expected) {
                Finding.Place place = wiring.place(group.get(i));
                found.add(new Finding(
                        FindingType.MissingUplink,
                        place.id(),
                        place.name() + ": links to " + degree[i] + " of " + expected + " switches of "
                                + wiring.names().words(groupOfSwitch[group.get(i)]),
                        place));
            }
        }
        return found;
    }

    private List<Finding> pairsInside(List<Integer> group) {
        List<Finding> found = new ArrayList<>();
        for (int one : group) {
            for (int other : group) {
                if (one < other && !topology.joined(one, other)) {
                    found.add(new Finding(
                            FindingType.MissingUplink,
                            topology.switchId(one) + " to " + topology.switchId(other),
                            topology.switchName(one) + " to " + topology.switchName(other)
                                    + ": no link, and most pairs of "
                                    + wiring.names().words(groupOfSwitch[one]) + " have one",
                            wiring.place(one),
                            wiring.place(other)));
                }
            }
        }
        return found;
    }
}
