/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tree, a rail-optimised fabric or a dragonfly+ that lost so much that its wiring alone shows another kind or fewer
 * levels: it keeps kind and addresses while no cable contradicts them. Subtrees of a tree are connected only through
 * switches above both.
 */
final class KeptTree {
    private final Topology topology;
    private final EdgeHops hops;
    private final FabricKind kind;
    private final PreviousNumbers before;
    private final int dims;

    private KeptTree(Topology topology, EdgeHops hops, FabricKind kind, PreviousNumbers before, int dims) {
        this.topology = topology;
        this.hops = hops;
        this.kind = kind;
        this.before = before;
        this.dims = dims;
    }

    /** {@code null} where the wiring is something else now. */
    static @Nullable Classification of(
            Topology topology, EdgeHops hops, FabricKind kind, PreviousNumbers before, int dims) {
        boolean fits = kind == FabricKind.FatTree || dims == 2;
        return fits && dims > 0 ? new KeptTree(topology, hops, kind, before, dims).classification() : null;
    }

    private @Nullable Classification classification() {
        int known = 0;
        for (int edge = 0; edge < hops.size(); edge++) {
            known += before.addressOfSwitch()[hops.switchOf(edge)].length == dims ? 1 : 0;
        }
        if (known == 0 || known < Thresholds.KNOWN * hops.size() || contradicted()) {
            return null;
        }
        if (kind == FabricKind.DragonflyPlus) {
            return dragonflyPlus();
        }
        return kind == FabricKind.RailOptimized && !unitsHold() ? null : tree();
    }

    /** Whether cables join what stands in different subtrees: here and there, or most of those of one switch. */
    private boolean contradicted() {
        boolean leavesAreGroups = kind == FabricKind.RailOptimized || dims == 1;
        int neighbors = 0;
        int stray = 0;
        for (int s = 0; s < topology.switches(); s++) {
            int own = topology.degree(s);
            int ofSwitch = 0;
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int other = topology.neighbor(n);
                boolean peers = isLeaf(s) && isLeaf(other);
                ofSwitch += leavesAreGroups ? peers ? 1 : 0 : inDifferentGroups(s, other) ? 1 : 0;
            }
            neighbors += own;
            stray += ofSwitch;
            if (!leavesAreGroups && ofSwitch > own / 2) {
                return true;
            }
        }
        return stray > (leavesAreGroups ? Thresholds.PEER_LINKS : Thresholds.STRAY) * neighbors;
    }

    private boolean isLeaf(int s) {
        return before.addressOfSwitch()[s].length == dims;
    }

    private boolean inDifferentGroups(int one, int other) {
        int group = before.groupOfSwitch()[one];
        int far = before.groupOfSwitch()[other];
        boolean spines = kind == FabricKind.DragonflyPlus && !isLeaf(one) && !isLeaf(other);
        return !spines && group >= 0 && far >= 0 && group != far;
    }

    private boolean unitsHold() {
        Map<String, Set<Integer>> units = new HashMap<>();
        Map<String, Set<Integer>> leaves = new HashMap<>();
        Map<String, Integer> devices = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            int at = topology.endSwitch(end);
            if (host != null && at >= 0 && isLeaf(at)) {
                units.computeIfAbsent(host, h -> new HashSet<>()).add(before.addressOfSwitch()[at][0]);
                leaves.computeIfAbsent(host, h -> new HashSet<>()).add(at);
                devices.merge(host, 1, Integer::sum);
            }
        }
        int several = 0;
        int scattered = 0;
        for (Map.Entry<String, Integer> host : devices.entrySet()) {
            boolean one = units.getOrDefault(host.getKey(), Set.of()).size() == 1
                    && leaves.getOrDefault(host.getKey(), Set.of()).size() == host.getValue();
            several += host.getValue() > 1 ? 1 : 0;
            scattered += host.getValue() > 1 && !one ? 1 : 0;
        }
        return scattered <= Thresholds.SCATTERED_HOSTS * several;
    }

    private Classification dragonflyPlus() {
        int[] levels = BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0);
        boolean[] numbered = new boolean[levels.length];
        for (int s = 0; s < levels.length; s++) {
            numbered[s] = before.groupOfSwitch()[s] >= 0 && (isLeaf(s) || levels[s] != 2);
        }
        return GroupedFabric.classify(topology, hops, kind, before.groupOfSwitch(), numbered);
    }

    private Classification tree() {
        int switches = topology.switches();
        int[][] axes = addresses();
        int[] group = before.groupOfSwitch().clone();
        int groups = 0;
        for (int s = 0; s < switches; s++) {
            group[s] = axes[0][s] >= 0 && group[s] < 0 ? axes[0][s] : group[s];
            groups = Math.max(groups, group[s] + 1);
        }
        int[] planeOfLeaf = kind == FabricKind.RailOptimized ? axes[1] : planesOfLeaves();
        int planes = Arrays.stream(planeOfLeaf).max().orElse(0) + 1;
        int[] levels = BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0);
        int[] planeOfEnd = new int[topology.ends()];
        for (int end = 0; end < planeOfEnd.length; end++) {
            int at = topology.endSwitch(end);
            planeOfEnd[end] = at < 0 ? 0 : Math.max(planeOfLeaf[at], 0);
        }
        Groups hosts = kind == FabricKind.RailOptimized
                ? Groups.byHost(topology, group, groups)
                : Groups.byCommonSubtree(topology, group, groups, planeOfEnd);
        return new Classification(
                kind,
                levels,
                axes,
                Math.max(planes, 1),
                planes < 2 ? new int[switches] : RailRecognizer.planes(topology, levels, planeOfLeaf),
                planeOfEnd,
                hosts.count(),
                group,
                hosts.ofEnd());
    }

    /** PreviousNumbers addresses; a new leaf stands beside one that shares a switch with it, on the next free number. */
    private int[][] addresses() {
        int[][] axes = new int[dims][topology.switches()];
        Map<List<Integer>, BitSet> takenIn = new HashMap<>();
        for (int axis = 0; axis < dims; axis++) {
            Arrays.fill(axes[axis], -1);
        }
        for (int edge = 0; edge < hops.size(); edge++) {
            int s = hops.switchOf(edge);
            int[] address = before.addressOfSwitch()[s];
            if (isLeaf(s) && !taken(takenIn, address).get(address[dims - 1])) {
                put(axes, s, address, takenIn);
            }
        }
        for (int edge = 0; edge < hops.size(); edge++) {
            int s = hops.switchOf(edge);
            if (axes[0][s] < 0) {
                int[] address = addressBeside(axes, s);
                address[dims - 1] = taken(takenIn, address).nextClearBit(0);
                put(axes, s, address, takenIn);
            }
        }
        return axes;
    }

    /** Last numbers of the addresses that have all numbers but the last in common with one. */
    private BitSet taken(Map<List<Integer>, BitSet> takenIn, int[] address) {
        List<Integer> subtree = Arrays.stream(address).limit(dims - 1).boxed().toList();
        return takenIn.computeIfAbsent(subtree, s -> new BitSet());
    }

    private int[] addressBeside(int[][] axes, int s) {
        int[] address = new int[dims];
        for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
            int above = topology.neighbor(n);
            for (int m = topology.firstNeighbor(above); m < topology.firstNeighbor(above + 1); m++) {
                int sibling = topology.neighbor(m);
                if (axes[0][sibling] >= 0) {
                    for (int axis = 0; axis < dims - 1; axis++) {
                        address[axis] = axes[axis][sibling];
                    }
                    return address;
                }
            }
        }
        return address;
    }

    private void put(int[][] axes, int s, int[] address, Map<List<Integer>, BitSet> takenIn) {
        for (int axis = 0; axis < axes.length; axis++) {
            axes[axis][s] = address[axis];
        }
        taken(takenIn, address).set(address[dims - 1]);
    }

    /** Per switch the plane that its devices were in; -1 for one without. */
    private int[] planesOfLeaves() {
        int[] plane = new int[topology.switches()];
        Arrays.fill(plane, -1);
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0 && plane[at] <= 0) {
                plane[at] = Math.max(before.planeOfEnd()[end], 0);
            }
        }
        return plane;
    }
}
