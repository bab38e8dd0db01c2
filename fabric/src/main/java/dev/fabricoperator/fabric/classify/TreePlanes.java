/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Planes of a tree: parts that no switch connects, or only the core, in all of which most hosts have devices, and as many in
 * each. They are numbered as most hosts number their devices.
 *
 * @param ofSwitch -1 for a switch that joins planes, or that is in none
 * @param count at least 2
 * @param joined whether core switches connect the planes, so that the coarsest axis of the tree is the plane
 */
record TreePlanes(int[] ofSwitch, int count, boolean joined) {
    private static final int MAX_PLANES = 16;

    /** {@code null} for a tree of one plane. */
    static @Nullable TreePlanes of(Topology topology, EdgeHops hops, TreeShape shape) {
        TreePlanes apart = apart(topology, hops);
        if (apart != null || shape.subtrees().isEmpty()) {
            return apart;
        }
        return of(topology, hops, shape.subtrees().getFirst(), true);
    }

    /** Of the parts that no switch connects; {@code null} where these are no planes. */
    static @Nullable TreePlanes apart(Topology topology, EdgeHops hops) {
        return of(topology, hops, withoutStrays(topology, BreadthFirst.components(topology)), false);
    }

    /** Parts that are far smaller than the largest, such as a leaf whose uplinks are yet to come, count to the first of the others. */
    private static int[] withoutStrays(Topology topology, int[] partOfSwitch) {
        int[] devices = new int[partOfSwitch.length];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                devices[partOfSwitch[topology.endSwitch(end)]]++;
            }
        }
        int most = Arrays.stream(devices).max().orElse(0);
        int first = 0;
        while (first < devices.length && devices[first] < Thresholds.SMALLEST_PLANE * most) {
            first++;
        }
        int[] parts = partOfSwitch.clone();
        for (int s = 0; s < parts.length; s++) {
            boolean isStray = devices[parts[s]] > 0 && devices[parts[s]] < Thresholds.SMALLEST_PLANE * most;
            parts[s] = isStray ? first : parts[s];
        }
        return parts;
    }

    private static @Nullable TreePlanes of(Topology topology, EdgeHops hops, int[] partOfSwitch, boolean joined) {
        BitSet used = new BitSet();
        for (int edge = 0; edge < hops.size(); edge++) {
            int part = partOfSwitch[hops.switchOf(edge)];
            if (part < 0) {
                return null;
            }
            used.set(part);
        }
        int count = used.cardinality();
        if (count < 2 || count > MAX_PLANES || !hostsAreInAll(topology, partOfSwitch, count, joined)) {
            return null;
        }
        Map<Integer, List<Long>> ordinals = new TreeMap<>();
        long[] ordinalOfEdge = Ordinals.ofEdges(topology, hops);
        for (int edge = 0; edge < hops.size(); edge++) {
            ordinals.computeIfAbsent(partOfSwitch[hops.switchOf(edge)], part -> new ArrayList<>())
                    .add(ordinalOfEdge[edge]);
        }
        List<Integer> parts = new ArrayList<>(ordinals.keySet());
        parts.sort(Comparator.comparingLong((Integer part) -> middle(ordinals.getOrDefault(part, List.of())))
                .thenComparingInt(part -> part));
        int[] ofSwitch = new int[partOfSwitch.length];
        for (int s = 0; s < ofSwitch.length; s++) {
            ofSwitch[s] = parts.indexOf(partOfSwitch[s]);
        }
        return new TreePlanes(ofSwitch, parts.size(), joined);
    }

    private static boolean hostsAreInAll(Topology topology, int[] partOfSwitch, int parts, boolean joined) {
        Map<String, Map<Integer, Integer>> devices = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            if (host != null && topology.endSwitch(end) >= 0) {
                devices.computeIfAbsent(host, h -> new HashMap<>())
                        .merge(partOfSwitch[topology.endSwitch(end)], 1, Integer::sum);
            }
        }
        int inAll = 0;
        int evenly = 0;
        for (Map<Integer, Integer> inPart : devices.values()) {
            boolean isInAll = inPart.size() == parts;
            inAll += isInAll ? 1 : 0;
            evenly += isInAll && inPart.values().stream().distinct().count() == 1 ? 1 : 0;
        }
        return evenly > 0
                && inAll >= Thresholds.MOST_HOSTS * devices.size()
                && evenly >= (joined ? Thresholds.MOST_HOSTS : Thresholds.EVENLY) * devices.size();
    }

    private static long middle(List<Long> numbers) {
        List<Long> sorted = new ArrayList<>(numbers);
        sorted.sort(Comparator.naturalOrder());
        return sorted.get(sorted.size() / 2);
    }

    /** Addresses of the other planes' switches that would follow those of the first plane's with the same hosts. */
    PreviousNumbers firstPlane(Topology topology, Classification fresh) {
        int switches = topology.switches();
        int ends = topology.ends();
        int[][] addressOfSwitch = new int[switches][];
        for (int s = 0; s < switches; s++) {
            boolean first = ofSwitch[s] == 0 && fresh.axes()[0][s] >= 0;
            addressOfSwitch[s] = first ? address(fresh, s) : new int[0];
        }
        Map<String, Integer> switchOfHost = new HashMap<>();
        for (int end = 0; end < ends; end++) {
            String host = topology.endHost(end);
            if (host != null && topology.endSwitch(end) >= 0 && fresh.planeOfEnd()[end] == 0) {
                switchOfHost.putIfAbsent(host, topology.endSwitch(end));
            }
        }
        int[][] addressOfEnd = new int[ends][];
        for (int end = 0; end < ends; end++) {
            Integer at = topology.endHost(end) == null ? null : switchOfHost.get(topology.endHost(end));
            boolean follows = at != null && fresh.planeOfEnd()[end] > 0;
            addressOfEnd[end] = follows && at != null ? address(fresh, at) : new int[0];
        }
        int[] none = new int[Math.max(switches, ends)];
        Arrays.fill(none, -1);
        return new PreviousNumbers(
                addressOfSwitch,
                Arrays.copyOf(none, switches),
                addressOfEnd,
                fresh.planeOfEnd().clone(),
                Arrays.copyOf(none, ends));
    }

    private static int[] address(Classification fresh, int s) {
        int[] address = new int[fresh.axes().length];
        for (int axis = 0; axis < address.length; axis++) {
            address[axis] = fresh.axes()[axis][s];
        }
        return address;
    }
}
