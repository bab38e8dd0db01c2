/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fabrics from the objects of a cluster, for those who read what the controller decided: a server, the command line.
 *
 * <p>Which device is in which fabric, in which slot, is not decided here: the statuses say so. What follows from that is
 * made by the same code as in the controller ({@link #vertices}, {@link #weights}, {@link EndClaims},
 * {@link SwitchParts}, {@link Drains}, {@link Damping}), so that the cost matrix has the digest of {@code status.costMatrix.digest}
 * once all objects of that generation have been read. While it has another, the reader is behind or ahead: it keeps
 * what it had.
 *
 * <p>Cost: O(devices + ports) for the cluster, once; a fabric costs its own devices and switches.
 */
public final class FabricAssembly {
    private final Map<String, List<FabricMember>> membersOf = new HashMap<>();
    private final SortedMap<String, Switch> switches;
    private final Collection<? extends SwitchStatement> objects;
    private final Map<String, TreeSet<Integer>> ownPartsOf = new HashMap<>();
    private final EndClaims claims;
    private final SwitchParts parts;
    private final Drains drains;

    /**
     * @param devices every FabricDevice of the cluster: two of different fabrics may claim one cable
     * @param switches merged from the FabricSwitch objects, one per id
     * @param objects the FabricSwitch objects
     * @param damped of every Fabric, see {@link #damped}
     */
    public FabricAssembly(
            Collection<? extends FabricMember> devices,
            SortedMap<String, Switch> switches,
            Collection<? extends SwitchStatement> objects,
            Set<PortPeer> damped) {
        this.switches = FabricMember.withHostEnds(Damping.without(damped, switches), devices);
        this.objects = objects;
        claims = new EndClaims(devices);
        parts = new SwitchParts(this.switches.values(), claims);
        drains = Drains.of(objects);
        for (FabricMember device : devices) {
            FabricDeviceStatus status = device.status();
            String fabric = status == null ? null : status.fabric();
            if (status != null && fabric != null && status.index() != null) {
                membersOf.computeIfAbsent(fabric, f -> new ArrayList<>()).add(device);
            }
        }
        for (SwitchStatement object : objects) {
            FabricSwitchStatus status = object.status();
            String fabric = status == null ? null : status.fabric();
            Integer part = parts.partOfSwitch(object.switchId());
            if (fabric != null && part != null) {
                ownPartsOf.computeIfAbsent(fabric, f -> new TreeSet<>()).add(part);
            }
        }
    }

    /** Of whole objects: all of the cluster. */
    public static FabricAssembly of(
            Collection<Fabric> fabrics, Collection<FabricDevice> devices, Collection<FabricSwitch> switches) {
        List<SwitchStatement> statements =
                switches.stream().map(SwitchStatement::of).toList();
        return new FabricAssembly(
                devices.stream().map(FabricMember::of).toList(),
                SwitchMerge.merge(statements).switches(),
                statements,
                fabrics.stream()
                        .map(fabric -> fabric.getStatus())
                        .filter(Objects::nonNull)
                        .flatMap(status -> damped(status).stream())
                        .collect(Collectors.toSet()));
    }

    /** Ports that the controller counts as down although their switch says otherwise. */
    public static Set<PortPeer> damped(FabricStatus status) {
        return status.damped().stream()
                .map(port -> new PortPeer(port.switchId(), port.port()))
                .collect(Collectors.toSet());
    }

    /** As {@link #fabric(String, List, FabricStatus)}, of a whole object. */
    public AssembledFabric fabric(Fabric fabric) {
        return fabric(
                fabric.getMetadata().getName(),
                fabric.getSpec() == null ? List.of() : fabric.getSpec().planes(),
                fabric.getStatus());
    }

    /**
     * One fabric as its objects describe it. Of two devices whose statuses have the same index the one with the lower
     * name counts.
     *
     * @param planeNames {@code spec.planes} of the Fabric
     * @param status of the Fabric, {@code null} before the first write
     */
    public AssembledFabric fabric(String name, List<String> planeNames, @Nullable FabricStatus status) {
        SortedMap<Integer, FabricMember> slots = new TreeMap<>();
        TreeSet<Integer> numbers = new TreeSet<>(ownPartsOf.getOrDefault(name, new TreeSet<>()));
        for (FabricMember member : membersOf.getOrDefault(name, List.of())) {
            int slot = Objects.requireNonNull(
                    Objects.requireNonNull(member.status()).index());
            slots.merge(slot, member, (a, b) -> a.name().compareTo(b.name()) <= 0 ? a : b);
            Integer part = parts.partOf(member);
            if (part != null) {
                numbers.add(part);
            }
        }
        TreeSet<String> ids = new TreeSet<>();
        numbers.forEach(part -> ids.addAll(parts.part(part).switches()));
        List<Switch> own =
                ids.stream().map(id -> Objects.requireNonNull(switches.get(id))).toList();
        Numbering previous = StatusNumbering.of(name, status, planeNames, slots.values(), objects, claims);
        return new AssembledFabric(
                name, slots, own, vertices(slots, claims), new ModelOptions(previous, weights(drains, own)));
    }

    /** The members as a topology sees them, in the order of their slots. */
    public static List<Vertex> vertices(SortedMap<Integer, ? extends FabricMember> slots, EndClaims claims) {
        List<Vertex> vertices = new ArrayList<>(slots.size());
        slots.forEach((slot, member) -> vertices.add(new Vertex(
                slot, claims.endId(member), member.port(), member.hostname(), member.osName(), member.use())));
        return List.copyOf(vertices);
    }

    /**
     * What administrators say about links of a fabric.
     *
     * @param switches those of the fabric; what is drained elsewhere does not make this fabric another
     */
    public static Weights weights(Drains drains, Collection<Switch> switches) {
        if (drains.switches().isEmpty() && drains.ports().isEmpty()) {
            return Weights.NONE;
        }
        Set<String> ids = HashSet.newHashSet(switches.size());
        switches.forEach(s -> ids.add(s.id()));
        Set<String> drained = new HashSet<>(drains.switches());
        drained.retainAll(ids);
        Set<PortPeer> ports = new HashSet<>(drains.ports());
        ports.removeIf(port -> !ids.contains(port.id()));
        return new Weights(drained, ports, false, Map.of());
    }
}
