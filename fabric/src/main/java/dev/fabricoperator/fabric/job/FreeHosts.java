/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import dev.fabricoperator.fabric.tier.TierTree.Vertex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which gangs fit on the hosts of a tree that are free, one part of a job on each host.
 *
 * <p>A vertex stands for its own tier, and for those above it that have no vertex between it and the one that it is below.
 *
 * <pre>
 * Cost:   O(h t) for h hosts and t tiers.
 * Source: docs/scheduler-extender.md, What is best
 * </pre>
 *
 * <p>Immutable.
 */
public final class FreeHosts {
    private final List<Vertex> vertices;
    private final Map<String, Vertex> byName = new HashMap<>();
    /** By name of a vertex, below it; the free ones ascending. */
    private final Map<String, List<String>> free = new HashMap<>();

    private final Map<String, List<String>> all = new HashMap<>();
    /** By name of a vertex, the tier of the vertex that it is below. */
    private final Map<String, Integer> tierAbove = new HashMap<>();

    private final Comparator<Vertex> byFree =
            Comparator.comparingInt(vertex -> free(vertex.name()).size());

    /**
     * What one tier has room for.
     *
     * @param parts how many vertices stand for the tier
     * @param roomiest the vertex with most free hosts; of equal ones the first by name
     * @param largest how many hosts of it are free: the largest gang that fits without leaving a vertex of the tier
     */
    public record Tier(int tier, String name, int parts, Vertex roomiest, int largest) {}

    /**
     * @param vertices of a tree, those below a vertex before it
     * @param isFree names of hosts that a part of a job can go to
     */
    public FreeHosts(List<Vertex> vertices, Set<String> isFree) {
        this.vertices = List.copyOf(vertices);
        for (Vertex vertex : vertices) {
            byName.put(vertex.name(), vertex);
            List<String> hosts = new ArrayList<>(vertex.hosts());
            for (String below : vertex.below()) {
                hosts.addAll(hosts(below));
                tierAbove.put(below, vertex.tier());
            }
            all.put(vertex.name(), hosts);
            free.put(
                    vertex.name(),
                    hosts.stream().filter(isFree::contains).sorted().toList());
        }
    }

    /** All below a vertex. */
    public List<String> hosts(String vertex) {
        return Objects.requireNonNull(all.get(vertex));
    }

    /** The free ones below a vertex, ascending. */
    public List<String> free(String vertex) {
        return Objects.requireNonNull(free.get(vertex));
    }

    /** From the lowest tier to the whole. */
    public List<Tier> tiers() {
        Map<Integer, String> names = new TreeMap<>();
        vertices.forEach(vertex -> names.putIfAbsent(vertex.tier(), vertex.tierName()));
        List<Tier> tiers = new ArrayList<>();
        names.forEach((tier, name) -> {
            List<Vertex> standing = standingFor(tier);
            standing.stream()
                    .max(byFree.thenComparing(Vertex::name, Comparator.reverseOrder()))
                    .ifPresent(roomiest -> tiers.add(new Tier(
                            tier,
                            name,
                            standing.size(),
                            roomiest,
                            free(roomiest.name()).size())));
        });
        return tiers;
    }

    private List<Vertex> standingFor(int tier) {
        return vertices.stream()
                .filter(vertex ->
                        vertex.tier() <= tier && tier < tierAbove.getOrDefault(vertex.name(), Integer.MAX_VALUE))
                .toList();
    }

    /**
     * The vertex of a tier that lacks fewest hosts for a gang, of those that have so many hosts at all; {@code null} where none
     * has.
     */
    public @Nullable Vertex nearestToRoom(int tier, int parts) {
        return standingFor(tier).stream()
                .filter(vertex -> hosts(vertex.name()).size() >= parts)
                .max(byFree.thenComparing(Vertex::name, Comparator.reverseOrder()))
                .orElse(null);
    }

    /**
     * The vertex that a gang goes to: of the lowest tier that has room for it, and there the one with the fewest free hosts, so that empty ones stay
     * whole; {@code null} where none has room.
     *
     * @param highest tier that it may take
     */
    public @Nullable Vertex room(int parts, int highest) {
        return vertices.stream()
                .filter(vertex ->
                        vertex.tier() <= highest && free(vertex.name()).size() >= parts)
                .min(Comparator.comparingInt(Vertex::tier).thenComparing(byFree).thenComparing(Vertex::name))
                .orElse(null);
    }

    /**
     * The hosts that a gang takes of a vertex that has room for it, ascending. It is divided as little as can be: as long as no vertex below has room
     * for the rest, the one with most free hosts is filled.
     */
    public List<String> taken(Vertex vertex, int parts) {
        List<String> taken = new ArrayList<>();
        take(vertex, parts, taken);
        return taken.stream().sorted().toList();
    }

    private void take(Vertex vertex, int parts, List<String> taken) {
        if (vertex.below().isEmpty()) {
            taken.addAll(free(vertex.name()).subList(0, parts));
            return;
        }
        List<Vertex> below = new ArrayList<>();
        vertex.below().forEach(name -> below.add(Objects.requireNonNull(byName.get(name))));
        below.sort(byFree.thenComparing(Vertex::name, Comparator.reverseOrder()));
        int rest = parts;
        while (rest > 0) {
            int wanted = rest;
            Vertex next = below.stream()
                    .filter(one -> free(one.name()).size() >= wanted)
                    .findFirst()
                    .orElseGet(below::getLast);
            below.remove(next);
            int part = Math.min(rest, free(next.name()).size());
            take(next, part, taken);
            rest -= part;
        }
    }
}
