/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.graph.DisjointSets;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which devices say nothing of where their hosts are: those that lead to what hosts of all units share, such as storage, and those
 * that somebody said are not for computing. The one place where that is decided; groups, tiers, rails and whatever follows from
 * them are those of the other devices.
 *
 * <p>The fabric is recognized without these devices. Afterwards the switches that hold nothing else stand behind the rest, in a
 * unit of their own, so that each device has its address; hosts that are on such switches alone are groups of their own.
 */
final class CommonDevices {
    private final Topology topology;
    private final boolean[] uncabled;
    /** Switches that hold common devices only. */
    private final boolean[] commonSwitch;

    private final Topology rest;

    private final boolean isSaid;

    private CommonDevices(
            Topology topology, boolean[] uncabled, boolean[] commonSwitch, Topology rest, boolean isSaid) {
        this.topology = topology;
        this.uncabled = uncabled;
        this.commonSwitch = commonSwitch;
        this.rest = rest;
        this.isSaid = isSaid;
    }

    /** What the wiring and people say, the likeliest first; empty where every device says where its host is. */
    static List<CommonDevices> candidates(Topology topology, EdgeHops hops) {
        boolean[] said = new boolean[topology.ends()];
        boolean isSaid = false;
        for (int end = 0; end < said.length; end++) {
            said[end] = topology.endUse(end) == Vertex.Use.Other && topology.endSwitch(end) >= 0;
            isSaid |= said[end];
        }
        Topology others = isSaid ? topology.without(said, new boolean[topology.switches()]) : topology;
        EdgeHops othersHops = isSaid ? EdgeHops.of(others) : hops;
        List<CommonDevices> found = new ArrayList<>();
        for (boolean[] ofEdge : CommonSwitches.candidates(others, othersHops)) {
            boolean[] uncabled = said.clone();
            for (int end = 0; end < uncabled.length; end++) {
                int at = others.endSwitch(end);
                uncabled[end] |= at >= 0 && ofEdge[othersHops.edgeOf(at)];
            }
            found.add(of(topology, hops, uncabled, false));
        }
        if (isSaid) {
            found.add(of(topology, hops, said, true));
        }
        found.removeIf(CommonDevices::leavesNone);
        return found;
    }

    private static CommonDevices of(Topology topology, EdgeHops hops, boolean[] uncabled, boolean isSaid) {
        boolean[] common = new boolean[topology.switches()];
        for (int s = 0; s < common.length; s++) {
            common[s] = hops.edgeOf(s) >= 0;
        }
        for (int end = 0; end < uncabled.length; end++) {
            if (topology.endSwitch(end) >= 0 && !uncabled[end]) {
                common[topology.endSwitch(end)] = false;
            }
        }
        // A leaf leads nowhere else. Beside leaves it may be a spine, which joins them.
        boolean[] alone = common.clone();
        for (int s = 0; s < alone.length; s++) {
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int other = topology.neighbor(n);
                alone[s] &= hops.edgeOf(other) < 0 || common[other];
            }
        }
        return new CommonDevices(topology, uncabled, common, topology.without(uncabled, alone), isSaid);
    }

    private boolean leavesNone() {
        for (int end = 0; end < uncabled.length; end++) {
            if (topology.endSwitch(end) >= 0 && !uncabled[end]) {
                return false;
            }
        }
        return true;
    }

    /** Whether these are what people said, and nothing else. */
    boolean isSaid() {
        return isSaid;
    }

    /** The fabric without these devices, and without the leaves that hold nothing else. */
    Topology rest() {
        return rest;
    }

    /** What was given to the rest before. */
    Numbering without(Numbering previous) {
        if (previous.isEmpty()) {
            return previous;
        }
        Map<String, Numbering.OfSwitch> switches = new HashMap<>(previous.switches());
        for (int s = 0; s < commonSwitch.length; s++) {
            if (commonSwitch[s]) {
                switches.remove(topology.switchId(s));
            }
        }
        Map<PortPeer, Numbering.OfDevice> devices = new HashMap<>(previous.devices());
        for (int end = 0; end < uncabled.length; end++) {
            if (uncabled[end]) {
                devices.remove(new PortPeer(topology.endId(end), topology.endPort(end)));
            }
        }
        return new Numbering(previous.kind(), switches, devices);
    }

    /** The classification of the whole fabric by that of the rest. */
    Classification whole(EdgeHops hops, Classification of, Numbering previous) {
        int dims = of.axes().length;
        int[][] axes = new int[dims][];
        for (int axis = 0; axis < dims; axis++) {
            axes[axis] = of.axes()[axis].clone();
        }
        PreviousNumbers before = PreviousNumbers.of(
                topology, of.kind().name().equals(previous.kind()) ? previous : Numbering.NONE, dims);
        putBehind(axes, before);
        boolean[] places = new boolean[topology.hosts()];
        int[] groupOfHost = new int[topology.hosts()];
        Arrays.fill(groupOfHost, -1);
        for (int end = 0; end < uncabled.length; end++) {
            int host = topology.endHostNumber(end);
            if (host >= 0 && !uncabled[end] && topology.endSwitch(end) >= 0) {
                places[host] = true;
                groupOfHost[host] = of.groupOfEnd()[end];
            }
        }
        int[] groupOfSwitch = of.groupOfSwitch().clone();
        int groups = ownGroups(groupOfSwitch, of, places, before);
        int[] groupOfEnd = of.groupOfEnd().clone();
        DeviceUse[] uses = new DeviceUse[uncabled.length];
        Arrays.fill(uses, DeviceUse.Compute);
        int devices = 0;
        for (int end = 0; end < uncabled.length; end++) {
            if (uncabled[end]) {
                int host = topology.endHostNumber(end);
                int at = topology.endSwitch(end);
                devices++;
                uses[end] = host >= 0 && places[host] ? DeviceUse.Common : DeviceUse.Service;
                int group = host >= 0 ? groupOfHost[host] : -1;
                group = group < 0 ? groupOfSwitch[at] : group;
                groupOfEnd[end] = group;
                if (host >= 0) {
                    groupOfHost[host] = group;
                }
            }
        }
        int[] planeOfSwitch = of.planeOfSwitch().clone();
        int switches = 0;
        for (int s = 0; s < commonSwitch.length; s++) {
            switches += commonSwitch[s] ? 1 : 0;
            planeOfSwitch[s] = commonSwitch[s] && of.planes() > 1 ? -1 : planeOfSwitch[s];
        }
        return new Classification(
                of.kind(),
                BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0),
                axes,
                of.planes(),
                planeOfSwitch,
                of.planeOfEnd(),
                groups,
                groupOfSwitch,
                groupOfEnd,
                uses,
                new Classification.Common(devices, switches));
    }

    /** Addresses of the switches that have none: those they had, else all in one unit behind the others. */
    private void putBehind(int[][] axes, PreviousNumbers before) {
        if (axes.length == 0) {
            return;
        }
        Set<List<Integer>> taken = new HashSet<>();
        int behind = 0;
        for (int s = 0; s < commonSwitch.length; s++) {
            if (axes[0][s] >= 0 && !commonSwitch[s]) {
                taken.add(address(axes, s));
                behind = Math.max(behind, axes[0][s] + 1);
            }
        }
        List<Integer> fresh = new ArrayList<>();
        for (int s = 0; s < commonSwitch.length; s++) {
            if (commonSwitch[s]) {
                int[] was = before.addressOfSwitch()[s];
                List<Integer> address = Arrays.stream(was).boxed().toList();
                if (was.length > 0 && was[0] >= behind && taken.add(address)) {
                    for (int axis = 0; axis < axes.length; axis++) {
                        axes[axis][s] = was[axis];
                    }
                } else {
                    fresh.add(s);
                }
            }
        }
        int last = axes.length - 1;
        for (int s : fresh) {
            for (int[] axis : axes) {
                axis[s] = 0;
            }
            axes[0][s] = behind;
            while (!taken.add(address(axes, s))) {
                axes[last][s]++;
            }
        }
    }

    private static List<Integer> address(int[][] axes, int s) {
        return Arrays.stream(axes).map(axis -> axis[s]).toList();
    }

    /**
     * Groups of the common switches that are in none: one for those that hosts without another place join.
     *
     * @return how many groups there are then
     */
    private int ownGroups(int[] groupOfSwitch, Classification of, boolean[] places, PreviousNumbers before) {
        DisjointSets joined = new DisjointSets(commonSwitch.length);
        int[] firstOfHost = new int[places.length];
        Arrays.fill(firstOfHost, -1);
        boolean[] needed = new boolean[commonSwitch.length];
        for (int end = 0; end < uncabled.length; end++) {
            int at = topology.endSwitch(end);
            int host = topology.endHostNumber(end);
            if (!uncabled[end] || !commonSwitch[at] || host >= 0 && places[host]) {
                continue;
            }
            needed[at] = true;
            if (host >= 0 && firstOfHost[host] < 0) {
                firstOfHost[host] = at;
            } else if (host >= 0) {
                joined.join(at, firstOfHost[host]);
            }
        }
        Set<Integer> taken = new HashSet<>();
        int groups = of.groups();
        Arrays.stream(of.groupOfEnd()).forEach(taken::add);
        for (int s = 0; s < groupOfSwitch.length; s++) {
            if (!commonSwitch[s]) {
                taken.add(groupOfSwitch[s]);
            }
        }
        Map<Integer, Integer> own = new HashMap<>();
        for (int s = 0; s < groupOfSwitch.length; s++) {
            if (!commonSwitch[s] || groupOfSwitch[s] >= 0) {
                continue;
            }
            int root = joined.root(s);
            Integer group = own.get(root);
            if (group == null && needed[s]) {
                int was = before.groupOfSwitch()[s];
                group = was >= 0 && !taken.contains(was) ? was : 0;
                while (taken.contains(group)) {
                    group++;
                }
                taken.add(group);
                own.put(root, group);
                groups++;
            }
            groupOfSwitch[s] = group == null ? -1 : group;
        }
        return groups;
    }
}
