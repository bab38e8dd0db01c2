/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Addresses of all switches of a fabric whose 2-core is a grid. A switch outside the grid takes a free position next to the
 * switch that connects it, else the nearest free one. Where no position is free, it has the numbers of the switch that
 * connects it, and on the last axis a number behind the grid.
 */
final class GridAddresses {
    private GridAddresses() {}

    /** Per axis and switch; -1 for a switch without place that holds no devices. */
    static int[][] of(Topology topology, EdgeHops hops, Grid grid) {
        Subgraph graph = grid.graph();
        int dims = grid.sides().length;
        int switches = topology.switches();
        int[][] axes = new int[dims][switches];
        int[] switchAt = new int[grid.nodeAt().length];
        Arrays.fill(switchAt, -1);
        for (int s = 0; s < switches; s++) {
            int node = graph.nodeOf(s);
            for (int axis = 0; axis < dims; axis++) {
                axes[axis][s] = node < 0 ? -1 : grid.at()[axis][node];
            }
            if (node >= 0 && grid.placeOf(node) >= 0) {
                switchAt[grid.placeOf(node)] = s;
            }
        }
        boolean going = true;
        while (going) {
            going = false;
            for (int s = 0; s < switches; s++) {
                int place = axes[0][s] < 0 ? freePlace(topology, grid, axes, switchAt, s) : -1;
                if (place >= 0) {
                    switchAt[place] = s;
                    put(grid, axes, s, place);
                    going = true;
                }
            }
        }
        List<Integer> behind = new ArrayList<>();
        for (int s = 0; s < switches; s++) {
            if (axes[0][s] < 0 && hops.edgeOf(s) >= 0) {
                int place = nearestFreePlace(topology, grid, axes, switchAt, s);
                if (place >= 0) {
                    switchAt[place] = s;
                    put(grid, axes, s, place);
                } else {
                    behind.add(s);
                }
            }
        }
        putBehind(topology, grid, axes, behind);
        return axes;
    }

    private static int freePlace(Topology topology, Grid grid, int[][] axes, int[] switchAt, int s) {
        int best = -1;
        for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
            int near = topology.neighbor(n);
            if (axes[0][near] >= 0) {
                for (int place : grid.joinedWith(place(grid, axes, near))) {
                    best = switchAt[place] < 0 && (best < 0 || place < best) ? place : best;
                }
            }
        }
        return best;
    }

    /** The free place with fewest steps to the holder, or any where nothing holds the switch; -1 where all are taken. */
    private static int nearestFreePlace(Topology topology, Grid grid, int[][] axes, int[] switchAt, int s) {
        int holder = holder(topology, grid.graph(), axes, s);
        int best = -1;
        int fewest = Integer.MAX_VALUE;
        for (int place = 0; place < switchAt.length; place++) {
            if (switchAt[place] < 0) {
                int steps = holder < 0 ? 0 : grid.steps(place(grid, axes, holder), place);
                best = steps < fewest ? place : best;
                fewest = Math.min(fewest, steps);
            }
        }
        return best;
    }

    private static int place(Grid grid, int[][] axes, int s) {
        int place = 0;
        for (int axis = 0; axis < axes.length; axis++) {
            place = place * grid.sides()[axis] + axes[axis][s];
        }
        return place;
    }

    private static void put(Grid grid, int[][] axes, int s, int place) {
        int rest = place;
        for (int axis = axes.length - 1; axis >= 0; axis--) {
            axes[axis][s] = rest % grid.sides()[axis];
            rest /= grid.sides()[axis];
        }
    }

    private static void putBehind(Topology topology, Grid grid, int[][] axes, List<Integer> behind) {
        int last = axes.length - 1;
        Map<List<Integer>, Integer> next = new HashMap<>();
        Map<Integer, List<Integer>> rows = new HashMap<>();
        for (int s : behind) {
            int holder = holder(topology, grid.graph(), axes, s);
            List<Integer> row = new ArrayList<>();
            for (int axis = 0; axis < last; axis++) {
                row.add(holder < 0 ? 0 : axes[axis][holder]);
            }
            rows.put(s, row);
        }
        for (int s : behind) {
            List<Integer> row = rows.getOrDefault(s, List.of());
            for (int axis = 0; axis < last; axis++) {
                axes[axis][s] = row.get(axis);
            }
            axes[last][s] = grid.sides()[last] + next.merge(row, 1, Integer::sum) - 1;
        }
    }

    /** A switch of the grid that leads to {@code s}; -1 where none does. */
    private static int holder(Topology topology, Subgraph graph, int[][] axes, int s) {
        int holder = graph.holderOf(s);
        if (holder >= 0 && axes[0][holder] >= 0) {
            return holder;
        }
        int from = holder >= 0 ? holder : s;
        for (int n = topology.firstNeighbor(from); n < topology.firstNeighbor(from + 1); n++) {
            if (axes[0][topology.neighbor(n)] >= 0) {
                return topology.neighbor(n);
            }
        }
        return -1;
    }
}
