/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.coordinate.Shape;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.GroupCosts;
import dev.fabricoperator.fabric.cost.LinkCosts;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.fabric.route.Route;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Questions about one fabric. Immutable, and safe to ask from many threads.
 *
 * <pre>
 * Errors: IllegalArgumentException for a slot below 0, at or above the model's vertices (PMIX_ERR_BAD_PARAM);
 *         {@code null} for an empty slot (PMIX_ERR_NOT_FOUND).
 * Cost:   a path O((v + l) log v) for v switches and l pairs of neighbours; groups, their costs at first and peers
 *         O(n) for n devices; the rest O(1).
 * Source: PMIx Standard, chapter Fabric Support.
 * </pre>
 */
public final class FabricQuery {
    private final FabricModel model;
    private final Topology topology;
    private final LinkCosts costs;
    /** Two threads that find it missing at once make the same. */
    private volatile @Nullable GroupCosts ofAllPlanes;

    private final @Nullable Routes routes;

    public FabricQuery(FabricModel model) {
        this(model, null);
    }

    /** @param routes of the same topology, where the forwarding tables of its switches are known */
    public FabricQuery(FabricModel model, @Nullable Routes routes) {
        this.model = model;
        this.routes = routes;
        topology = model.topology();
        costs = model.linkCosts();
    }

    /** Which way packets really take; {@code null} where no forwarding tables are known. */
    public @Nullable Routes routes() {
        return routes;
    }

    /** Highest slot in use + 1. */
    public int vertices() {
        return topology.slots();
    }

    /** The device in a slot; {@code null} for an empty one. */
    public @Nullable Vertex vertex(int slot) {
        int end = endOf(slot);
        return end < 0
                ? null
                : new Vertex(
                        slot,
                        topology.endId(end),
                        topology.endPort(end),
                        topology.endHost(end),
                        topology.endOsName(end));
    }

    /** Planes ascending. */
    public List<Plane> planes() {
        return model.planes();
    }

    /**
     * The way of packets where forwarding tables tell it, else the cheapest path; of several, always the same one. {@code null} where one of the slots
     * is empty.
     */
    public @Nullable Path path(int fromSlot, int toSlot) {
        int from = endOf(fromSlot);
        int to = endOf(toSlot);
        if (from < 0 || to < 0) {
            return null;
        }
        Routes known = routes;
        if (known == null) {
            return cheapest(from, fromSlot, to, toSlot);
        }
        if (fromSlot == toSlot) {
            return cheapest(from, fromSlot, to, toSlot).because("a device needs no switch to reach itself");
        }
        return switch (known.between(fromSlot, toSlot)) {
            case Route.Arrives route -> routed(fromSlot, toSlot, route);
            case Route.Ends ends -> cheapest(from, fromSlot, to, toSlot).because(ends.message());
        };
    }

    private Path cheapest(int from, int fromSlot, int to, int toSlot) {
        return new PathSearch(topology, costs, model.cost()).between(from, fromSlot, to, toSlot);
    }

    private Path routed(int fromSlot, int toSlot, Route.Arrives route) {
        List<Path.Step> steps = new ArrayList<>(route.hops().size());
        long slowest = topology.endSpeed(topology.endOfSlot(fromSlot));
        for (Route.Hop hop : route.hops()) {
            // 0, which stands for unknown, is the slowest.
            slowest = Math.min(slowest, hop.speedBitsPerSecond());
            steps.add(new Path.Step(
                    topology.switchId(hop.at()), hop.inPort(), hop.outPort(), Path.known(hop.speedBitsPerSecond())));
        }
        return new Path(
                fromSlot,
                toSlot,
                Path.Basis.routes,
                null,
                model.cost().cost(fromSlot, toSlot),
                route.hops().size() - 1,
                route.ways(),
                Path.known(slowest),
                steps);
    }

    /**
     * Slots of the devices on the same switch, ascending, the device itself included; empty without a known switch.
     * {@code null} for an empty slot.
     *
     * @see "PMIx Standard, PMIX_SWITCH_PEERS"
     */
    public @Nullable List<Integer> switchPeers(int slot) {
        int end = endOf(slot);
        if (end < 0) {
            return null;
        }
        int at = topology.endSwitch(end);
        List<Integer> peers = new ArrayList<>();
        for (int other = 0; at >= 0 && other < topology.slots(); other++) {
            int otherEnd = topology.endOfSlot(other);
            if (otherEnd >= 0 && topology.endSwitch(otherEnd) == at) {
                peers.add(other);
            }
        }
        return peers;
    }

    /**
     * Hosts of each group, both ascending. A device whose host nobody knows stands for itself, by its id; one without a
     * known cable is in no group.
     *
     * @see "PMIx Standard, PMIX_FABRIC_GROUPS"
     */
    public SortedMap<Integer, List<String>> groups() {
        SortedMap<Integer, SortedSet<String>> found = new TreeMap<>();
        int[] groupOfEnd = model.classification().groupOfEnd();
        for (int end = 0; end < topology.ends(); end++) {
            if (groupOfEnd[end] >= 0) {
                String host = topology.endHost(end);
                found.computeIfAbsent(groupOfEnd[end], g -> new TreeSet<>())
                        .add(host == null ? topology.endId(end) : host);
            }
        }
        SortedMap<Integer, List<String>> groups = new TreeMap<>();
        found.forEach((group, hosts) -> groups.put(group, List.copyOf(hosts)));
        return groups;
    }

    /**
     * Groups, such as {@link #groups()}, in the standard's notation, for example {@code 0:node000,node002;1:node001}.
     *
     * @see "PMIx Standard, PMIX_FABRIC_GROUPS"
     */
    public static String string(Map<Integer, List<String>> groups) {
        return groups.entrySet().stream()
                .map(e -> e.getKey() + ":" + String.join(",", e.getValue()))
                .collect(Collectors.joining(";"));
    }

    /**
     * Costs to groups; a device without a known cable is in no group. Made when it is asked for the first
     * time.
     *
     * @param plane only devices of this one count; {@code null} for all
     */
    public GroupCosts groupCosts(@Nullable String plane) {
        GroupCosts known = ofAllPlanes;
        if (plane != null || known == null) {
            known = makeGroupCosts(plane);
            ofAllPlanes = plane == null ? known : ofAllPlanes;
        }
        return known;
    }

    private GroupCosts makeGroupCosts(@Nullable String plane) {
        int[] groupOfSlot = new int[topology.slots()];
        for (int slot = 0; slot < groupOfSlot.length; slot++) {
            int end = topology.endOfSlot(slot);
            boolean counts = end >= 0
                    && (plane == null
                            || plane.equals(
                                    Integer.toString(model.classification().planeOfEnd()[end])));
            groupOfSlot[slot] = counts ? model.classification().groupOfEnd()[end] : -1;
        }
        return GroupCosts.of(model.cost(), groupOfSlot);
    }

    /** {@code null} for an empty slot. */
    public @Nullable Geometry geometry(int slot, View view) {
        endOf(slot);
        DevicePosition place = model.device(slot);
        if (place == null) {
            return null;
        }
        List<Integer> coordinate = place.coordinates().stream()
                .filter(c -> c.view() == view)
                .map(Coordinate::values)
                .findFirst()
                .orElse(List.of());
        Shape shape = model.shapes().stream()
                .filter(s -> s.plane().equals(place.plane()) && s.view() == view)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("plane " + place.plane() + " has no shape"));
        return new Geometry(slot, place.plane(), view, shape.dims(), coordinate, shape.sizes(), shape.string());
    }

    private int endOf(int slot) {
        if (slot < 0 || slot >= topology.slots()) {
            throw new IllegalArgumentException("vertex " + slot + " of a fabric of " + topology.slots());
        }
        return topology.endOfSlot(slot);
    }
}
