/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.ShortestPaths;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Shortest paths over switches, where every cable costs what its speed says; devices never forward.
 *
 * <p>Idea: costs between switches that hold devices are all that is kept. They are computed for 64 of these switches at
 * once: a bit per source travels through one pass of Dial's algorithm (bucketed Dijkstra), as in the multi-source
 * breadth-first search of Then et al., "The More the Merrier" (VLDB 2014), which is the special case of equal costs.
 *
 * <p>Cost: O(s / 64 * k * (v + l)) time for s switches that hold devices, v switches, l pairs of neighbours and k
 * different costs at which a switch is met, O(s * s) space.
 */
public final class CostModel {
    private CostModel() {}

    /** The matrix of a topology's managed devices. Without any switch all devices count as cabled to one. */
    public static CostMatrix of(Topology topology) {
        int slots = topology.slots();
        int[] edgeOfSlot = new int[slots];
        byte[] classOfSlot = new byte[slots];
        boolean[] used = new boolean[slots];
        for (int slot = 0; slot < slots; slot++) {
            used[slot] = topology.endOfSlot(slot) >= 0;
        }
        if (topology.switches() == 0) {
            for (int slot = 0; slot < slots; slot++) {
                edgeOfSlot[slot] = used[slot] ? 0 : -1;
            }
            SwitchCosts one = new SwitchCosts(new String[] {""}, new char[] {0});
            return new CostMatrix(one, edgeOfSlot, classOfSlot, new int[] {LinkCosts.UNIT}, used);
        }
        LinkCosts linkCosts = LinkCosts.of(topology);
        int[] edgeOfSwitch = edges(topology);
        PortClasses classes = new PortClasses();
        for (int slot = 0; slot < slots; slot++) {
            int end = topology.endOfSlot(slot);
            int at = end < 0 ? -1 : topology.endSwitch(end);
            edgeOfSlot[slot] = at < 0 ? -1 : edgeOfSwitch[at];
            if (at >= 0) {
                classOfSlot[slot] = classes.of(linkCosts.ofEnd(end));
            }
        }
        SwitchCosts switches = switchCosts(topology, linkCosts, edgeOfSwitch);
        return new CostMatrix(switches, edgeOfSlot, classOfSlot, classes.costs(), used);
    }

    /** Row of each switch in the stored matrix; -1 where it holds no managed device. */
    private static int[] edges(Topology topology) {
        int[] edgeOfSwitch = new int[topology.switches()];
        for (int end = 0; end < topology.managedEnds(); end++) {
            if (topology.endSwitch(end) >= 0) {
                edgeOfSwitch[topology.endSwitch(end)] = 1;
            }
        }
        int edges = 0;
        for (int s = 0; s < edgeOfSwitch.length; s++) {
            edgeOfSwitch[s] = edgeOfSwitch[s] == 1 ? edges++ : -1;
        }
        return edgeOfSwitch;
    }

    private static SwitchCosts switchCosts(Topology topology, LinkCosts linkCosts, int[] edgeOfSwitch) {
        int[] sources = new int[edgeOfSwitch.length];
        int edges = 0;
        for (int s = 0; s < edgeOfSwitch.length; s++) {
            if (edgeOfSwitch[s] >= 0) {
                sources[edges++] = s;
            }
        }
        int[] costOfEntry = new int[topology.firstNeighbor(topology.switches())];
        for (int i = 0; i < costOfEntry.length; i++) {
            costOfEntry[i] = linkCosts.toNeighbor(i);
        }
        String[] ids = new String[edges];
        for (int e = 0; e < edges; e++) {
            ids[e] = topology.switchId(sources[e]);
        }
        char[] costs = new char[Math.multiplyExact(edges, edges)];
        Arrays.fill(costs, (char) CostMatrix.UNREACHABLE);
        ShortestPaths paths = new ShortestPaths(topology, costOfEntry);
        for (int first = 0; first < edges; first += Long.SIZE) {
            int row = first;
            int count = Math.min(Long.SIZE, edges - first);
            paths.from(sources, first, count, (source, at, cost) -> {
                if (edgeOfSwitch[at] >= 0) {
                    costs[(row + source) * ids.length + edgeOfSwitch[at]] = (char) Math.min(cost, CostMatrix.HIGHEST);
                }
            });
        }
        return new SwitchCosts(ids, costs);
    }

    /** Distinct costs of devices' own cables. */
    private static final class PortClasses {
        private int[] costs = new int[4];
        private int size;

        byte of(int cost) {
            for (int i = 0; i < size; i++) {
                if (costs[i] == cost) {
                    return (byte) i;
                }
            }
            if (size == Byte.MAX_VALUE + 1) {
                // Hardware has a dozen speeds; of more, the nearest class must do.
                return nearest(cost);
            }
            if (size == costs.length) {
                costs = Arrays.copyOf(costs, size * 2);
            }
            costs[size] = cost;
            return (byte) size++;
        }

        private byte nearest(int cost) {
            int best = 0;
            for (int i = 1; i < size; i++) {
                if (Math.abs(costs[i] - cost) < Math.abs(costs[best] - cost)) {
                    best = i;
                }
            }
            return (byte) best;
        }

        int[] costs() {
            return Arrays.copyOf(costs, size);
        }
    }
}
