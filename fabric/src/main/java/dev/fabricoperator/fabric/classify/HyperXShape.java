/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import java.util.Arrays;

/**
 * Finds a HyperX: a grid whose rows are fully connected.
 *
 * <p>Idea: each component that is left without the cables along an axis has one number on that axis.
 *
 * @see "Ahn et al., HyperX: topology, routing, and packaging of efficient large-scale networks, SC 2009"
 */
final class HyperXShape {
    private static final int SMALLEST = 3;
    private static final int MAX_AXES = 8;

    private HyperXShape() {}

    /** A grid, or why the graph is none, or none whose rows are so long that they are no rings as well. */
    static Recognition of(Subgraph graph) {
        if (graph.size() < SMALLEST) {
            return new NoMatch(Reason.FEW_IN_RINGS, graph.size(), SMALLEST);
        }
        if (isFullMesh(graph)) {
            int[] at = new int[graph.size()];
            Arrays.setAll(at, node -> node);
            return Grid.oneRow(graph, Row.FULL, at);
        }
        NoMatch flat = graph.lacksSquares(Thresholds.HYPERX_SQUARES);
        int inRows = flat == null ? withTriangles(graph) : 0;
        if (flat != null || inRows < graph.size() / 2) {
            return flat == null ? new NoMatch(Reason.NO_ROWS, inRows, graph.size()) : flat;
        }
        return severalAxes(graph);
    }

    /** Whether few cables are missing; where each node lacks as many as the others, they were never there. */
    private static boolean isFullMesh(Subgraph graph) {
        int all = graph.size() - 1;
        boolean alike = graph.degree(0) < all;
        for (int node = 1; node < graph.size(); node++) {
            alike &= graph.degree(node) == graph.degree(0);
        }
        return graph.entries() >= Math.floor((1 - Thresholds.LOST) * graph.size() * all) && !alike;
    }

    /** How many nodes are in a clique of four: without one no row is longer than three. */
    private static int withTriangles(Subgraph graph) {
        int with = 0;
        for (int node = 0; node < graph.size(); node++) {
            boolean found = false;
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1) && !found; e++) {
                found = graph.common(node, graph.neighbor(e)) >= 2;
            }
            with += found ? 1 : 0;
        }
        return with;
    }

    private static Recognition severalAxes(Subgraph graph) {
        CliqueRows rows = new CliqueRows(graph);
        int axes = rows.axes();
        if (axes < 2 || axes > MAX_AXES) {
            return new NoMatch(Reason.NO_AXES, axes, MAX_AXES);
        }
        int[][] at = new int[axes][];
        int[] sides = new int[axes];
        for (int axis = 0; axis < axes; axis++) {
            at[axis] = new int[graph.size()];
            sides[axis] = layers(graph, rows, axis, at[axis]);
        }
        boolean longRow = Arrays.stream(sides).anyMatch(side -> side > 3);
        if (!longRow || Arrays.stream(sides).anyMatch(side -> side < 2)) {
            return new NoMatch(Reason.NO_ROWS, 0, graph.size());
        }
        Row[] kinds = new Row[axes];
        Arrays.setAll(kinds, axis -> sides[axis] == 2 ? Row.PAIR : Row.FULL);
        Grid grid = Grid.of(graph, kinds, sides, at);
        return grid == null ? Grid.tooSparse(graph, sides) : grid.filledIfItFits();
    }

    /** Number of layers across an axis; each node gets that of its layer, -1 where that is a fragment. */
    private static int layers(Subgraph graph, CliqueRows rows, int axis, int[] at) {
        int[] component = BreadthFirst.components(
                graph, start -> true, (from, entry) -> rows.axisOf(entry) != axis && rows.axisOf(entry) < rows.axes());
        int[] sizes = new int[component.length];
        for (int of : component) {
            sizes[of]++;
        }
        int largest = Arrays.stream(sizes).max().orElse(0);
        int[] layer = new int[component.length];
        int layers = 0;
        for (int node = 0; node < component.length; node++) {
            if (component[node] == node) {
                layer[node] = sizes[node] > Thresholds.HYPERX_LAYER * largest ? layers++ : -1;
            }
            at[node] = layer[component[node]];
        }
        return Math.max(layers, rows.typicalLength(axis));
    }
}
