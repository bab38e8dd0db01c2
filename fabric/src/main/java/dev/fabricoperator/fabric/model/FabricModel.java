/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.Classifier;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.classify.Unresolved;
import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.coordinate.CoordinateAssigner;
import dev.fabricoperator.fabric.coordinate.Coordinates;
import dev.fabricoperator.fabric.coordinate.Shape;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.CostModel;
import dev.fabricoperator.fabric.cost.LinkCosts;
import dev.fabricoperator.fabric.finding.ExemptHosts;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingAnalysis;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.DirectCable;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is concluded about one fabric, built once from switches and managed devices and then only read. Immutable;
 * equal input in any order gives an equal model.
 */
public final class FabricModel {
    private final Topology topology;
    private final ModelOptions options;
    private final Classification classification;
    private final Coordinates coordinates;
    private final LinkCosts links;
    private final CostMatrix cost;
    private final List<Plane> planes;
    private final int partitions;
    /** Two threads that find it missing at once make the same list. */
    private volatile @Nullable List<Finding> findings;

    private volatile @Nullable List<String> unresolved;

    private final ExemptHosts exempt;

    private FabricModel(Topology topology, ModelOptions options, @Nullable FabricModel last) {
        this.topology = topology;
        this.options = options;
        classification = Classifier.classify(topology, options.previous());
        coordinates = CoordinateAssigner.assign(topology, classification, options.previous());
        links = LinkCosts.of(topology, options.weights());
        cost = last == null ? CostModel.of(links) : CostModel.update(last.links, last.cost, links);
        planes = countPlanes();
        partitions = countPartitions();
        exempt = ExemptHosts.NONE;
    }

    private FabricModel(FabricModel same, ExemptHosts exempt) {
        topology = same.topology;
        options = same.options;
        classification = same.classification;
        coordinates = same.coordinates;
        links = same.links;
        cost = same.cost;
        planes = same.planes;
        partitions = same.partitions;
        this.exempt = exempt;
    }

    /**
     * @param switches one per id, merged from all sources; none gives a {@link FabricKind#Flat} fabric
     * @param vertices managed devices, each in a slot of its own
     * @throws IllegalArgumentException if two vertices share a slot, or a slot is negative
     */
    public static FabricModel of(Collection<Switch> switches, Collection<Vertex> vertices) {
        return of(switches, vertices, ModelOptions.DEFAULT);
    }

    /** As {@link #of(Collection, Collection)}, with what was given before and what people say about links. */
    public static FabricModel of(Collection<Switch> switches, Collection<Vertex> vertices, ModelOptions options) {
        return of(switches, vertices, options, null);
    }

    /**
     * As {@link #of(Collection, Collection, ModelOptions)}, in less time where little has changed.
     *
     * @param last an earlier model of this fabric; the result does not depend on it
     */
    public static FabricModel of(
            Collection<Switch> switches,
            Collection<Vertex> vertices,
            ModelOptions options,
            @Nullable FabricModel last) {
        return new FabricModel(Topology.of(switches, vertices), options, last);
    }

    /** Of devices that are cabled to each other: a {@link FabricKind#Flat} fabric. */
    public static FabricModel backToBack(Collection<Vertex> vertices, Collection<DirectCable> cables) {
        return new FabricModel(Topology.backToBack(vertices, cables), ModelOptions.DEFAULT, null);
    }

    /** This model, whose findings expect no number of devices of these hosts: nothing else depends on them. */
    public FabricModel exempting(ExemptHosts hosts) {
        return exempt.equals(hosts) ? this : new FabricModel(this, hosts);
    }

    /** As {@link #exempting(ExemptHosts)}, of lists that need not be read again where they are the same. */
    public FabricModel exempting(List<String> lists) {
        return exempt.isOf(lists) ? this : exempting(ExemptHosts.of(lists));
    }

    /** Hosts of which no number of devices is expected. */
    public ExemptHosts exempt() {
        return exempt;
    }

    /** How many hosts of the fabric no number of devices is expected of; {@code null} where nobody said so of any. O(hosts). */
    public @Nullable Integer exemptHosts() {
        if (exempt.equals(ExemptHosts.NONE)) {
            return null;
        }
        Set<String> hosts = new HashSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            if (host != null) {
                hosts.add(host);
            }
        }
        return (int) hosts.stream().filter(exempt::contains).count();
    }

    /** What the model was made of, densely indexed. */
    public Topology topology() {
        return topology;
    }

    public Classification classification() {
        return classification;
    }

    public ModelOptions options() {
        return options;
    }

    /** What to look at, ascending. Made when it is asked for the first time: most models are never asked. */
    public List<Finding> findings() {
        List<Finding> known = findings;
        if (known == null) {
            List<Finding> found =
                    new ArrayList<>(FindingAnalysis.of(topology, classification, options.weights(), exempt));
            if (cost.saturated()) {
                found.add(new Finding(
                        FindingType.SaturatedCost,
                        "",
                        "some paths cost more than " + CostMatrix.HIGHEST + " and are cut to it"));
                Collections.sort(found);
            }
            known = List.copyOf(found);
            findings = known;
        }
        return known;
    }

    /** What kind, groups and tiers do not tell, in sentences ({@link Unresolved}); made when they are asked for the first time. */
    public List<String> unresolved() {
        List<String> known = unresolved;
        if (known == null) {
            known = Unresolved.of(topology, classification);
            unresolved = known;
        }
        return known;
    }

    public FabricKind kind() {
        return classification.kind();
    }

    /** Ascending; rails of a rail-optimised fabric are planes "0", "1" and so on, others have one plane "0". */
    public List<Plane> planes() {
        return planes;
    }

    /** Managed devices, with and without a cable. */
    public int devices() {
        return topology.managedEnds();
    }

    /** Device ends that only cables name. */
    public int unmanagedDevices() {
        return topology.ends() - topology.managedEnds();
    }

    public int switches() {
        return topology.switches();
    }

    /** Cables between switches, from switches to devices and between devices, each counted once. */
    public int links() {
        return topology.links();
    }

    /** Distinct known hosts that own a device end. */
    public int hosts() {
        return topology.hosts();
    }

    public int groups() {
        return classification.groups();
    }

    /** Per plane and view; planes ascending, the logical view first. */
    public List<Shape> shapes() {
        return coordinates.shapes();
    }

    /** Of the first plane, in the logical view. */
    public Shape defaultShape() {
        return coordinates.shapes().getFirst();
    }

    /** What each link costs. */
    public LinkCosts linkCosts() {
        return links;
    }

    public CostMatrix cost() {
        return cost;
    }

    /** Whether a device stands in the slot; false also beyond the last one. */
    public boolean isUsed(int slot) {
        return slot >= 0 && slot < topology.slots() && topology.endOfSlot(slot) >= 0;
    }

    /** {@code null} for an empty slot. */
    public @Nullable DevicePosition device(int slot) {
        if (!isUsed(slot)) {
            return null;
        }
        int end = topology.endOfSlot(slot);
        int at = topology.endSwitch(end);
        return new DevicePosition(
                String.valueOf(classification.planeOfEnd()[end]),
                at < 0 ? null : topology.switchId(at),
                at < 0 ? null : Integer.valueOf(topology.endSwitchPort(end)),
                known(classification.groupOfEnd()[end]),
                coordinates.ofEnd(end));
    }

    /**
     * The device's coordinates for who has no plane beside them, as {@code pmix_geometry_t} has not: one per view, unique in the fabric. Empty for an
     * empty slot and for a device without cable.
     */
    public List<Coordinate> coordinatesInFabric(int slot) {
        return isUsed(slot) ? coordinates.ofEndInFabric(topology.endOfSlot(slot)) : List.of();
    }

    /** Extents of {@link #coordinatesInFabric}, per plane and view as {@link #shapes}. */
    public List<Shape> shapesInFabric() {
        return coordinates.shapesInFabric();
    }

    /** {@code null} for an id that is no switch. */
    public @Nullable SwitchPosition switchPosition(String id) {
        int at = topology.switchIndex(id);
        return at < 0
                ? null
                : new SwitchPosition(
                        known(classification.levelOfSwitch()[at]),
                        known(classification.groupOfSwitch()[at]),
                        coordinates.ofSwitch(at));
    }

    /** Every place, for the next model of the same fabric to keep. */
    public Numbering numbering() {
        Map<PortPeer, Numbering.OfDevice> devices = HashMap.newHashMap(topology.managedEnds());
        for (int slot = 0; slot < topology.slots(); slot++) {
            DevicePosition place = device(slot);
            if (place != null) {
                int end = topology.endOfSlot(slot);
                devices.put(
                        new PortPeer(topology.endId(end), topology.endPort(end)),
                        new Numbering.OfDevice(place.plane(), place.group(), logical(place.coordinates())));
            }
        }
        Map<String, Numbering.OfSwitch> switches = HashMap.newHashMap(topology.switches());
        for (int s = 0; s < topology.switches(); s++) {
            switches.put(
                    topology.switchId(s),
                    new Numbering.OfSwitch(known(classification.groupOfSwitch()[s]), logical(coordinates.ofSwitch(s))));
        }
        return new Numbering(kind().name(), switches, devices);
    }

    private static List<Integer> logical(List<Coordinate> coordinates) {
        return coordinates.stream()
                .filter(c -> c.view() == View.logical)
                .findFirst()
                .map(Coordinate::values)
                .orElse(List.of());
    }

    /** Connected parts that hold devices; more than 1 for a fabric that was cut. */
    public int partitions() {
        return partitions;
    }

    private static @Nullable Integer known(int number) {
        return number < 0 ? null : number;
    }

    private List<Plane> countPlanes() {
        int[] devices = new int[classification.planes()];
        int[] switches = new int[classification.planes()];
        for (int end = 0; end < topology.managedEnds(); end++) {
            devices[classification.planeOfEnd()[end]]++;
        }
        for (int s = 0; s < topology.switches(); s++) {
            if (classification.planeOfSwitch()[s] >= 0) {
                switches[classification.planeOfSwitch()[s]]++;
            }
        }
        List<Plane> counted = new ArrayList<>(devices.length);
        for (int plane = 0; plane < devices.length; plane++) {
            // A plane that is gone leaves its number free.
            if (devices[plane] > 0 || switches[plane] > 0 || devices.length == 1) {
                counted.add(new Plane(String.valueOf(plane), devices[plane], switches[plane]));
            }
        }
        return List.copyOf(counted);
    }

    /** Planes that no cable joins are no cut: the plane in most pieces counts. */
    private int countPartitions() {
        if (topology.isOfCliques()) {
            // They were never joined, so that nothing has been cut.
            return Math.min(1, topology.ends());
        }
        if (topology.switches() == 0) {
            return topology.ends() > 0 ? 1 : 0;
        }
        int[] part = BreadthFirst.components(topology);
        int[] partsOfPlane = new int[classification.planes()];
        Set<Long> seen = new HashSet<>();
        int lastPlane = -1;
        int lastPart = -1;
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            int plane = classification.planeOfEnd()[end];
            if (at < 0 || plane == lastPlane && part[at] == lastPart) {
                continue;
            }
            lastPlane = plane;
            lastPart = part[at];
            if (seen.add((long) plane << 32 | lastPart)) {
                partsOfPlane[plane]++;
            }
        }
        return Arrays.stream(partsOfPlane).max().orElse(0);
    }
}
