/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.tier;

import dev.fabricoperator.fabric.model.FabricModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A fabric as a tree whose leaves are hosts: the lower the first vertex that two hosts have in common, the nearer they are.
 *
 * <ul>
 *   <li>Each host that something can be reached from is in exactly one vertex, and that is of the lowest tier there is. One
 *       that is out of reach on every plane is in none.
 *   <li>A tier at which every host would be alone is left out, and so is a vertex with one vertex below it: the lower one
 *       stays. Tiers keep their numbers then. The whole is always there, so that its tier always exists.
 *   <li>What no way joins has nothing in common: a fabric in several parts is several trees.
 *   <li>Names follow from the numbers that the classification gave, which outlive changes: a host that comes or goes
 *       changes the vertex that it is in, and others only where a vertex appears or vanishes with it.
 * </ul>
 *
 * <pre>
 * Errors: none; a fabric of which no switch is known has no vertices.
 * Cost:   O(d + h t log h + p s) time for d devices, h hosts, t tiers, p parts that are not joined and s switches that
 *         hold devices; O(h t) space.
 * Source: docs/volcano.md
 * </pre>
 *
 * <p>Immutable.
 */
public final class TierTree {
    private final List<Vertex> vertices;
    private final List<String> unplaced;

    private TierTree(List<Vertex> vertices, List<String> unplaced) {
        this.vertices = List.copyOf(vertices);
        this.unplaced = List.copyOf(unplaced);
    }

    /**
     * A vertex of the tree, with either vertices or hosts below it.
     *
     * @param name begins with that of the tree
     * @param tier 1 and up; lower is nearer
     * @param tierName the same for all vertices of a tier; that of a whole part is the tree's name, behind "fabric-" where a tier
     *     is called so
     * @param below names of vertices, ascending
     * @param hosts ascending
     */
    public record Vertex(String name, int tier, String tierName, List<String> below, List<String> hosts) {
        public Vertex {
            below = List.copyOf(below);
            hosts = List.copyOf(hosts);
        }
    }

    /**
     * @param name of the tree; that of what it is made of is part of every vertex's
     * @param hostOfSlot the host that owns the device in a slot; {@code null} for a device that is not to count
     */
    public static TierTree of(FabricModel model, String name, IntFunction<@Nullable String> hostOfSlot) {
        Tiers tiers = Tiers.of(model.classification(), model.topology());
        Places places = Places.of(model, tiers, hostOfSlot);
        return new TierTree(tiers.below() == 0 ? List.of() : new Builder(tiers, name).build(places), places.unplaced());
    }

    /** Tiers ascending, then by name: what is below a vertex comes before it. */
    public List<Vertex> vertices() {
        return vertices;
    }

    /**
     * The names of the vertices that each host is in, by tier: the same tiers for every host, from the lowest to that of the
     * whole. Where a vertex was left out, since it has one below it, that one's name stands for it.
     */
    public SortedMap<String, SortedMap<Integer, String>> placesOfHosts() {
        Map<String, SortedMap<Integer, String>> placeOfVertex = new HashMap<>();
        SortedMap<String, SortedMap<Integer, String>> places = new TreeMap<>();
        int above = vertices.isEmpty() ? 0 : vertices.getLast().tier() + 1;
        Map<String, Integer> tierAbove = new HashMap<>();
        for (Vertex vertex : vertices) {
            vertex.below().forEach(below -> tierAbove.put(below, vertex.tier()));
        }
        for (Vertex vertex : vertices.reversed()) {
            SortedMap<Integer, String> place = placeOfVertex.computeIfAbsent(vertex.name(), n -> new TreeMap<>());
            int end = tierAbove.getOrDefault(vertex.name(), above);
            for (int tier = vertex.tier(); tier < end; tier++) {
                place.put(tier, vertex.name());
            }
            vertex.below().forEach(below -> placeOfVertex.put(below, new TreeMap<>(place)));
            vertex.hosts().forEach(host -> places.put(host, Collections.unmodifiableSortedMap(place)));
        }
        return places;
    }

    /** Hosts that are in no vertex since nothing reaches them, ascending. */
    public List<String> unplaced() {
        return unplaced;
    }

    private static final class Builder {
        private final Tiers tiers;
        private final String name;
        private final List<Vertex> made = new ArrayList<>();
        private final Set<String> names = new HashSet<>();
        private int lowest = 1;

        Builder(Tiers tiers, String name) {
            this.tiers = tiers;
            this.name = name;
        }

        List<Vertex> build(Places places) {
            while (lowest <= tiers.below() && everyHostIsAlone(places)) {
                lowest++;
            }
            for (List<Places.Place> part : places.parts()) {
                add(
                        part,
                        tiers.below() + 1,
                        made.isEmpty() ? "" : "-part-" + part.getFirst().numbers(1));
            }
            made.sort(Comparator.comparingInt(Vertex::tier).thenComparing(Vertex::name));
            return made;
        }

        /** Of all trees a tier of one name has one number: a fabric called "leaf" must not bring a second one. */
        private String wholeName() {
            return Tiers.isTierName(name) ? "fabric-" + name : name;
        }

        private boolean everyHostIsAlone(Places places) {
            Set<String> taken = new HashSet<>();
            return places.parts().stream().flatMap(List::stream).allMatch(place -> taken.add(place.numbers(lowest)));
        }

        /** @return the name of the vertex that holds all these hosts and nothing else */
        private String add(List<Places.Place> hosts, int tier, String suffix) {
            if (tier <= lowest) {
                List<String> sorted =
                        hosts.stream().map(Places.Place::host).sorted().toList();
                return add(hosts, tier, suffix, List.of(), sorted);
            }
            Map<String, List<Places.Place>> divided = new HashMap<>();
            for (Places.Place host : hosts) {
                divided.computeIfAbsent(host.numbers(tier - 1), n -> new ArrayList<>())
                        .add(host);
            }
            List<String> below = divided.values().stream()
                    .map(some -> add(some, tier - 1, suffix))
                    .sorted()
                    .toList();
            return below.size() == 1 && tier <= tiers.below()
                    ? below.getFirst()
                    : add(hosts, tier, suffix, below, List.of());
        }

        /** What several parts of the fabric have a piece of is called as such in the first of them alone. */
        private String add(List<Places.Place> all, int tier, String suffix, List<String> below, List<String> hosts) {
            boolean whole = tier > tiers.below();
            String full = whole
                    ? name
                    : name + "-" + tiers.name(tier) + "-" + all.getFirst().numbers(tier);
            String own = full;
            for (int copy = 1; !names.add(own); copy++) {
                own = full + suffix + (copy == 1 ? "" : "-" + copy);
            }
            made.add(new Vertex(own, tier, whole ? wholeName() : tiers.name(tier), below, hosts));
            return own;
        }
    }
}
