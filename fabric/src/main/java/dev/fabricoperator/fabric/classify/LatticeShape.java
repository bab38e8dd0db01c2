/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds a torus or mesh: positions from {@link LatticeGrowth}, cut to where switches really stand. */
final class LatticeShape {
    /** Six axes, two ways along each. */
    private static final int MAX_DEGREE = 12;

    private static final int SHORTEST_RING = 5;
    private static final int SHORTEST_CHAIN = 4;

    private LatticeShape() {}

    /** A lattice, or why the graph is none. */
    static Recognition of(Subgraph graph) {
        if (graph.size() < SHORTEST_CHAIN) {
            return new NoMatch(Reason.FEW_IN_RINGS, graph.size(), SHORTEST_CHAIN);
        }
        Grid line = oneAxis(graph);
        return line == null ? severalAxes(graph) : line;
    }

    /** One ring or one chain: nobody has more than two neighbours. */
    private static @Nullable Grid oneAxis(Subgraph graph) {
        int end = -1;
        for (int node = 0; node < graph.size(); node++) {
            if (graph.degree(node) > 2) {
                return null;
            }
            end = graph.degree(node) == 1 && end < 0 ? node : end;
        }
        boolean ring = end < 0;
        if (ring && graph.size() < SHORTEST_RING) {
            return null;
        }
        int[] at = new int[graph.size()];
        Arrays.fill(at, -1);
        int node = Math.max(end, 0);
        for (int number = 0; node >= 0; number++) {
            at[node] = number;
            int next = -1;
            for (int e = graph.firstNeighbor(node + 1) - 1; e >= graph.firstNeighbor(node); e--) {
                next = at[graph.neighbor(e)] < 0 ? graph.neighbor(e) : next;
            }
            node = next;
        }
        return Grid.oneRow(graph, ring ? Row.RING : Row.CHAIN, at);
    }

    private static Recognition severalAxes(Subgraph graph) {
        NoMatch flat = graph.lacksSquares(Math.nextUp(Thresholds.SQUARES));
        if (graph.typicalDegree() > MAX_DEGREE || flat != null) {
            return flat == null ? new NoMatch(Reason.MANY_NEIGHBOURS, graph.typicalDegree(), MAX_DEGREE) : flat;
        }
        LatticeGrowth.Positions found = LatticeGrowth.of(graph);
        if (found == null || found.count() < Thresholds.PLACED * graph.size()) {
            return new NoMatch(Reason.WITHOUT_PLACE, found == null ? 0 : found.count(), graph.size());
        }
        int axes = found.at().length;
        Row[] rows = new Row[axes];
        int[] sides = new int[axes];
        for (int axis = 0; axis < axes; axis++) {
            int[] at = found.at()[axis];
            int ring = found.ring()[axis];
            if (ring > 0) {
                int seam = openSeam(graph, found.at(), axis, ring);
                for (int node = 0; seam >= 0 && node < at.length; node++) {
                    at[node] = at[node] < 0 ? -1 : Math.floorMod(at[node] - seam - 1, ring);
                }
                sides[axis] = ring;
                rows[axis] = seam >= 0 ? Row.CHAIN : Row.RING;
            }
            if (rows[axis] != Row.RING) {
                sides[axis] = cutThinLayers(at);
                rows[axis] = sides[axis] == 2 ? Row.PAIR : Row.CHAIN;
            }
            if (sides[axis] < 2) {
                return new NoMatch(Reason.WITHOUT_PLACE, 0, graph.size());
            }
        }
        Grid grid = Grid.of(graph, rows, sides, found.at());
        return grid == null ? Grid.tooSparse(graph, sides) : grid.filledIfItFits();
    }

    /** The layer after which a ring is not closed; -1 where it is. */
    private static int openSeam(Subgraph graph, int[][] all, int axis, int ring) {
        int[] across = new int[ring];
        for (int node = 0; node < graph.size(); node++) {
            for (int e = graph.firstNeighbor(node); all[axis][node] >= 0 && e < graph.firstNeighbor(node + 1); e++) {
                int other = graph.neighbor(e);
                if (all[axis][other] == (all[axis][node] + 1) % ring && sameElsewhere(all, axis, node, other)) {
                    across[all[axis][node]]++;
                }
            }
        }
        int weakest = 0;
        for (int layer = 1; layer < ring; layer++) {
            weakest = across[layer] < across[weakest] ? layer : weakest;
        }
        int[] sorted = across.clone();
        Arrays.sort(sorted);
        return across[weakest] < Thresholds.SEAM * sorted[ring / 2] ? weakest : -1;
    }

    private static boolean sameElsewhere(int[][] all, int axis, int node, int other) {
        for (int a = 0; a < all.length; a++) {
            if (a != axis && all[a][node] != all[a][other]) {
                return false;
            }
        }
        return true;
    }

    /** Numbers what is left from 0 and returns how many layers that is; nodes in thin outer layers get -1. */
    private static int cutThinLayers(int[] at) {
        int layers = Arrays.stream(at).max().orElse(-1) + 1;
        int[] population = new int[Math.max(layers, 1)];
        for (int value : at) {
            if (value >= 0) {
                population[value]++;
            }
        }
        int[] sorted = population.clone();
        Arrays.sort(sorted);
        double enough = Thresholds.THIN_LAYER * sorted[sorted.length / 2];
        int first = 0;
        int last = population.length - 1;
        while (first < last && population[first] < enough) {
            first++;
        }
        while (last > first && population[last] < enough) {
            last--;
        }
        for (int node = 0; node < at.length; node++) {
            at[node] = at[node] < first || at[node] > last ? -1 : at[node] - first;
        }
        return last - first + 1;
    }
}
