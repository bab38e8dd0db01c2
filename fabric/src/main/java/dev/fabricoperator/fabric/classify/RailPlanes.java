/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.MostFrequent;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Planes that nothing joins and that have rails inside, as where each port of a card leads to a network of its own. Each plane is
 * recognized by itself, with the history of its own switches and devices; units of the planes have the same numbers where they have
 * the same hosts. Coordinates, unit and rail, repeat in each plane, as those of the planes of a tree do.
 *
 * <p>Where each plane is one rail, the rail is the plane: that is {@link RailRecognizer}'s.
 */
final class RailPlanes {
    private static final int UNIT = 0;
    private static final int RAIL = 1;
    private static final int AXES = 2;

    private final Topology topology;
    /** Of a fabric that was numbered as planes with rails inside; empty for another. */
    private final Numbering previous;
    /** -1 for a switch that reaches no device. */
    private final int[] planeOfSwitch;

    private RailPlanes(Topology topology, Numbering previous, int[] planeOfSwitch) {
        this.topology = topology;
        this.previous = previous;
        this.planeOfSwitch = planeOfSwitch;
    }

    /**
     * {@code null} where that is not what the wiring is.
     *
     * @param areKnown {@link #areKnown} of {@code previous}
     */
    static @Nullable Classification of(Topology topology, EdgeHops hops, Numbering previous, boolean areKnown) {
        if (areKnown) {
            return new RailPlanes(topology, previous, knownPlanes(topology, previous)).classification();
        }
        TreePlanes fresh =
                previous.kind().equals(FabricKind.RailOptimized.name()) ? null : TreePlanes.apart(topology, hops);
        return fresh == null ? null : new RailPlanes(topology, Numbering.NONE, fresh.ofSwitch()).classification();
    }

    /** Whether a fabric was numbered as planes with rails inside. */
    static boolean areKnown(Numbering previous) {
        if (!previous.kind().equals(FabricKind.RailOptimized.name())) {
            return false;
        }
        Set<Integer> planes = new HashSet<>();
        Map<Integer, Set<Integer>> railsOfPlane = new HashMap<>();
        for (Numbering.OfDevice device : previous.devices().values()) {
            int plane = PreviousNumbers.plane(device.plane());
            if (plane >= 0) {
                planes.add(plane);
                if (device.logical().size() > RAIL) {
                    railsOfPlane
                            .computeIfAbsent(plane, p -> new HashSet<>())
                            .add(device.logical().get(RAIL));
                }
            }
        }
        // While statuses of another kind are not all replaced yet, devices may have any numbers.
        return planes.size() > 1
                && !railsOfPlane.isEmpty()
                && railsOfPlane.values().stream().allMatch(rails -> rails.size() > 1);
    }

    /**
     * The plane that most devices of a leaf were in, and most neighbours of any other switch are in: by connected parts a single cable between
     * two planes would make one of them. New parts are new planes if they are about as large as the others.
     */
    private static int[] knownPlanes(Topology topology, Numbering previous) {
        int[] planeOfEnd = PreviousNumbers.of(topology, previous, AXES).planeOfEnd();
        Map<Integer, Map<Integer, Integer>> votes = new HashMap<>();
        int[] devices = new int[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0) {
                devices[at]++;
                if (planeOfEnd[end] >= 0) {
                    votes.computeIfAbsent(at, s -> new HashMap<>()).merge(planeOfEnd[end], 1, Integer::sum);
                }
            }
        }
        int[] plane = new int[topology.switches()];
        Arrays.fill(plane, -1);
        while (!votes.isEmpty()) {
            votes.forEach((s, ofSwitch) -> plane[s] =
                    MostFrequent.of(ofSwitch, Comparator.naturalOrder()).orElseThrow());
            votes = votesOfNeighbors(topology, plane);
        }
        return withNewParts(topology, plane, devices);
    }

    /** For each switch that is in no plane, and beside others that are, the cables to each plane. */
    private static Map<Integer, Map<Integer, Integer>> votesOfNeighbors(Topology topology, int[] plane) {
        Map<Integer, Map<Integer, Integer>> votes = new HashMap<>();
        for (int s = 0; s < plane.length; s++) {
            for (int n = topology.firstNeighbor(s); plane[s] < 0 && n < topology.firstNeighbor(s + 1); n++) {
                int of = plane[topology.neighbor(n)];
                if (of >= 0) {
                    votes.computeIfAbsent(s, at -> new HashMap<>()).merge(of, topology.neighborCables(n), Integer::sum);
                }
            }
        }
        return votes;
    }

    private static int[] withNewParts(Topology topology, int[] plane, int[] devices) {
        int[] part = BreadthFirst.components(
                topology, s -> plane[s] < 0, (from, entry) -> plane[topology.neighbor(entry)] < 0);
        int[] devicesOfPart = new int[plane.length];
        int known = 0;
        for (int s = 0; s < plane.length; s++) {
            if (plane[s] < 0) {
                devicesOfPart[part[s]] += devices[s];
            } else {
                known += devices[s];
            }
        }
        int[] numbers =
                Arrays.stream(plane).filter(p -> p >= 0).distinct().sorted().toArray();
        int next = numbers.length == 0 ? 0 : numbers[numbers.length - 1] + 1;
        int[] planeOfPart = new int[plane.length];
        for (int first = 0; first < plane.length; first++) {
            boolean isPlane = 2L * numbers.length * devicesOfPart[first] >= known;
            planeOfPart[first] = devicesOfPart[first] == 0 ? -1 : isPlane ? next++ : numbers[0];
        }
        int[] all = plane.clone();
        for (int s = 0; s < all.length; s++) {
            all[s] = all[s] < 0 ? planeOfPart[part[s]] : all[s];
        }
        return all;
    }

    /**
     * A plane by itself.
     *
     * @param isNew whether nothing of it was numbered before
     */
    private record Plane(int number, Topology topology, boolean isNew, Classification own) {}

    private Plane plane(int number) {
        Topology only = only(number);
        Numbering before = before(number);
        return new Plane(
                number, only, before.switches().isEmpty(), Classifier.classify(only, EdgeHops.of(only), before));
    }

    private @Nullable Classification classification() {
        int planes = 0;
        int[] levels = new int[topology.switches()];
        Arrays.fill(levels, -1);
        int[][] axes = new int[AXES][topology.switches()];
        int[] groupOfSwitch = new int[topology.switches()];
        for (int[] numbers : List.of(axes[UNIT], axes[RAIL], groupOfSwitch)) {
            Arrays.fill(numbers, -1);
        }
        List<Plane> found = new ArrayList<>();
        for (int number : Arrays.stream(planeOfSwitch)
                .filter(p -> p >= 0)
                .distinct()
                .sorted()
                .toArray()) {
            Plane plane = plane(number);
            if (plane.own().kind() == FabricKind.RailOptimized) {
                found.add(plane);
            } else {
                return !previous.isEmpty() && plane.isNew() ? withoutPlane(number) : null;
            }
        }
        int groups = 0;
        int[] groupOfEnd = new int[topology.ends()];
        Arrays.fill(groupOfEnd, -1);
        HostNumbers units = new HostNumbers(topology);
        HostNumbers groupsOfHosts = new HostNumbers(topology);
        for (Plane plane : found) {
            Classification own = plane.own();
            planes = plane.number() + 1;
            int[] unitLabels = units.labels(plane.topology(), own.axes()[UNIT], !plane.isNew());
            int[] groupLabels = groupsOfHosts.labels(plane.topology(), own.groupOfSwitch(), !plane.isNew());
            for (int s = 0; s < levels.length; s++) {
                if (planeOfSwitch[s] == plane.number()) {
                    levels[s] = own.levelOfSwitch()[s];
                    axes[UNIT][s] = label(unitLabels, own.axes()[UNIT][s]);
                    axes[RAIL][s] = own.axes()[RAIL][s];
                    groupOfSwitch[s] = label(groupLabels, own.groupOfSwitch()[s]);
                }
            }
            for (int end = 0; end < groupOfEnd.length; end++) {
                if (plane.topology().endSwitch(end) >= 0) {
                    groupOfEnd[end] = label(groupLabels, own.groupOfEnd()[end]);
                }
            }
            groups = Math.max(groups, own.groups());
        }
        oneGroupForEachHost(groupOfEnd);
        int[] planeOfEnd = planesOfEnds();
        planes = Math.max(planes, Arrays.stream(planeOfEnd).max().orElse(0) + 1);
        return new Classification(
                FabricKind.RailOptimized,
                levels,
                axes,
                planes,
                planeOfSwitch,
                planeOfEnd,
                groups,
                groupOfSwitch,
                groupOfEnd);
    }

    /** With what looked like a new plane, and is none, beside the lowest one, which keeps its rails: a leaf whose uplinks are yet to come. */
    private @Nullable Classification withoutPlane(int plane) {
        int lowest = Arrays.stream(planeOfSwitch).filter(p -> p >= 0).min().orElse(plane);
        if (lowest == plane) {
            return null;
        }
        int[] others =
                Arrays.stream(planeOfSwitch).map(p -> p == plane ? lowest : p).toArray();
        return new RailPlanes(topology, previous, others).classification();
    }

    private static int label(int[] labels, int number) {
        return number < 0 ? number : labels[number];
    }

    /** The same switches and ends, with the cables of one plane. */
    private Topology only(int plane) {
        boolean[] alone = new boolean[topology.switches()];
        for (int s = 0; s < alone.length; s++) {
            alone[s] = planeOfSwitch[s] != plane;
        }
        boolean[] uncabled = new boolean[topology.ends()];
        for (int end = 0; end < uncabled.length; end++) {
            uncabled[end] = topology.endSwitch(end) >= 0 && alone[topology.endSwitch(end)];
        }
        return topology.without(uncabled, alone);
    }

    /** What the switches and devices of a plane were given before, with the rail as the plane, as where a plane is a rail. */
    private Numbering before(int plane) {
        Map<String, Numbering.OfSwitch> switches = new HashMap<>();
        for (int s = 0; s < planeOfSwitch.length; s++) {
            Numbering.OfSwitch known = previous.switches().get(topology.switchId(s));
            if (planeOfSwitch[s] == plane && known != null) {
                switches.put(topology.switchId(s), known);
            }
        }
        Map<PortPeer, Numbering.OfDevice> devices = new HashMap<>();
        previous.devices().forEach((end, known) -> {
            if (PreviousNumbers.plane(known.plane()) == plane && known.logical().size() > RAIL) {
                String rail = String.valueOf(known.logical().get(RAIL));
                devices.put(end, new Numbering.OfDevice(rail, known.group(), known.logical()));
            }
        });
        return new Numbering(previous.kind(), switches, devices);
    }

    /** A device whose cable is away stays in the plane that it was in. */
    private int[] planesOfEnds() {
        PreviousNumbers before = PreviousNumbers.of(topology, previous, AXES);
        int[] planes = new int[topology.ends()];
        for (int end = 0; end < planes.length; end++) {
            int at = topology.endSwitch(end);
            planes[end] = Math.max(at < 0 ? before.planeOfEnd()[end] : planeOfSwitch[at], 0);
        }
        return planes;
    }

    /** Of a host's devices in several planes, the one in the lowest plane decides. */
    private void oneGroupForEachHost(int[] groupOfEnd) {
        int[] groupOfHost = new int[topology.hosts()];
        int[] lowest = new int[topology.hosts()];
        Arrays.fill(groupOfHost, -1);
        Arrays.fill(lowest, Integer.MAX_VALUE);
        for (int end = 0; end < groupOfEnd.length; end++) {
            int host = topology.endHostNumber(end);
            int plane = groupOfEnd[end] < 0 ? Integer.MAX_VALUE : planeOfSwitch[topology.endSwitch(end)];
            if (host >= 0 && plane < lowest[host]) {
                lowest[host] = plane;
                groupOfHost[host] = groupOfEnd[end];
            }
        }
        for (int end = 0; end < groupOfEnd.length; end++) {
            int host = topology.endHostNumber(end);
            groupOfEnd[end] = groupOfEnd[end] < 0 || host < 0 ? groupOfEnd[end] : groupOfHost[host];
        }
    }

    /** Numbers that the hosts of earlier planes have, so that what holds the same hosts in the next one is numbered alike. */
    private static final class HostNumbers {
        private final int[] ofHost;

        HostNumbers(Topology topology) {
            ofHost = new int[topology.hosts()];
            Arrays.fill(ofHost, -1);
        }

        /**
         * Labels for the numbers of a plane's switches.
         *
         * @param keeps whether they were numbered before, and so keep their numbers
         */
        int[] labels(Topology plane, int[] numberOfSwitch, boolean keeps) {
            int[] labels = new int[Arrays.stream(numberOfSwitch).max().orElse(-1) + 1];
            Arrays.setAll(labels, number -> number);
            if (!keeps) {
                LabelMatching matching = new LabelMatching();
                for (int end = 0; end < plane.ends(); end++) {
                    int host = plane.endHostNumber(end);
                    int number = plane.endSwitch(end) < 0 ? -1 : numberOfSwitch[plane.endSwitch(end)];
                    if (host >= 0 && number >= 0 && ofHost[host] >= 0) {
                        matching.add(number, ofHost[host], LabelMatching.OF_DEVICE);
                    }
                }
                labels = matching.labels(labels.length);
            }
            for (int end = 0; end < plane.ends(); end++) {
                int host = plane.endHostNumber(end);
                int number = plane.endSwitch(end) < 0 ? -1 : numberOfSwitch[plane.endSwitch(end)];
                if (host >= 0 && number >= 0 && ofHost[host] < 0) {
                    ofHost[host] = labels[number];
                }
            }
            return labels;
        }
    }
}
