/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.tier;

import dev.fabricoperator.fabric.classify.HostEnd;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One place for each host, and which hosts reach each other.
 *
 * <p>A host is where its device on the lowest plane is, of several devices there the one that {@link HostEnd} says. Which
 * plane that is hardly matters, since planes number what has the same hosts alike. Devices for what hosts of all units share, such
 * as storage, do not count ({@link dev.fabricoperator.fabric.classify.Classification#useOfEnd}).
 *
 * @param parts what nothing joins is apart; the part with most hosts first, each in the order of addresses
 * @param unplaced hosts without any device that reaches another switch or device, ascending
 */
record Places(List<List<Place>> parts, List<String> unplaced) {

    /** @param partOfTier the numbers of its place, tier 1 first */
    record Place(String host, int[][] partOfTier) {
        /** As they stand in a name. */
        String numbers(int tier) {
            return Arrays.stream(partOfTier[tier - 1]).mapToObj(String::valueOf).collect(Collectors.joining("-"));
        }
    }

    static Places of(FabricModel model, Tiers tiers, IntFunction<@Nullable String> hostOfSlot) {
        Topology topology = model.topology();
        CostMatrix cost = model.cost();
        Map<String, List<Integer>> slotsOfHost = new TreeMap<>();
        TreeSet<String> unplaced = new TreeSet<>();
        Joined joined = Joined.of(cost);
        Map<String, Integer> edgeOfHost = new HashMap<>();
        for (int slot = 0; slot < topology.slots(); slot++) {
            int end = topology.endOfSlot(slot);
            String host = end < 0 || !model.classification().tellsPlace(end) ? null : hostOfSlot.apply(slot);
            if (host == null) {
                continue;
            }
            int edge = tiers.below() == 0 ? -1 : cost.edgeSwitchOf(slot);
            if (edge < 0) {
                unplaced.add(host);
                continue;
            }
            slotsOfHost.computeIfAbsent(host, h -> new ArrayList<>(2)).add(slot);
            Integer before = edgeOfHost.putIfAbsent(host, edge);
            if (before != null) {
                joined.join(before, edge);
            }
        }
        HostEnd hostEnd = new HostEnd(topology, model.classification());
        Map<String, Integer> first = new TreeMap<>();
        slotsOfHost.forEach((host, slots) -> first.put(host, hostEnd.of(onLowestPlane(model, slots))));
        unplaced.removeAll(first.keySet());
        Map<Integer, List<Place>> parts = new HashMap<>();
        first.forEach((host, end) -> parts.computeIfAbsent(
                        joined.part(Objects.requireNonNull(edgeOfHost.get(host))), p -> new ArrayList<>())
                .add(new Place(host, place(tiers, topology.endSwitch(end)))));
        List<List<Place>> sorted = new ArrayList<>(parts.values());
        sorted.forEach(part -> part.sort(Comparator.comparing((Place place) -> place.partOfTier()[0], Arrays::compare)
                .thenComparing(Place::host)));
        sorted.sort(Comparator.comparingInt((List<Place> part) -> -part.size())
                .thenComparing(part -> part.getFirst().partOfTier()[0], Arrays::compare)
                .thenComparing(part -> part.getFirst().host()));
        return new Places(sorted, List.copyOf(unplaced));
    }

    /** The ends of the devices in these slots that are on the lowest plane of them. */
    private static List<Integer> onLowestPlane(FabricModel model, List<Integer> slots) {
        int[] planeOfEnd = model.classification().planeOfEnd();
        List<Integer> ends =
                slots.stream().map(slot -> model.topology().endOfSlot(slot)).toList();
        int lowest = ends.stream().mapToInt(end -> planeOfEnd[end]).min().orElse(0);
        return ends.stream().filter(end -> planeOfEnd[end] == lowest).toList();
    }

    private static int[][] place(Tiers tiers, int at) {
        int[][] place = new int[tiers.below()][];
        for (int tier = 1; tier <= place.length; tier++) {
            place[tier - 1] = tiers.part(tier, at);
        }
        return place;
    }

    /** Which switches that hold devices are joined by cables, or by hosts that are at both. */
    private record Joined(int[] parent) {
        static Joined of(CostMatrix cost) {
            int[] parent = new int[cost.edgeSwitches()];
            Arrays.fill(parent, -1);
            for (int one = 0; one < parent.length; one++) {
                // What one switch reaches reach each other, so that a row tells a whole part.
                if (parent[one] < 0) {
                    parent[one] = one;
                    for (int other = one + 1; other < parent.length; other++) {
                        if (cost.edgeCost(one, other) < CostMatrix.UNREACHABLE) {
                            parent[other] = one;
                        }
                    }
                }
            }
            return new Joined(parent);
        }

        int part(int edge) {
            int at = edge;
            while (parent[at] != at) {
                at = parent[at];
            }
            return at;
        }

        void join(int one, int other) {
            int first = part(one);
            int second = part(other);
            parent[Math.max(first, second)] = Math.min(first, second);
        }
    }
}
