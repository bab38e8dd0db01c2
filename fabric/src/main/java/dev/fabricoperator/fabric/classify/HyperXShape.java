/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a HyperX: a grid whose rows are fully connected.
 *
 * <p>Idea: each component that is left without the cables along an axis has one number on that axis.
 *
 * @see "Ahn et al., HyperX: topology, routing, and packaging of efficient large-scale networks, SC 2009"
 */
final class HyperXShape {
    /** Share of all pairs that are neighbours in a full mesh, of which one cable in ten may be missing. */
    private static final double FULL_MESH = 0.9;

    /** Share of neighbours along different axes that must meet again. */
    private static final double SQUARES = 0.25;

    private static final int SMALLEST = 3;
    private static final int MAX_AXES = 8;

    /** A layer has more than this share of the nodes that it would have were all layers equal. */
    private static final double WHOLE_LAYER = 0.5;

    private HyperXShape() {}

    /** {@code null} where the graph is none, or where all rows are so short that they are rings as well. */
    static @Nullable Grid of(Subgraph graph) {
        if (graph.size() < SMALLEST) {
            return null;
        }
        if (isFullMesh(graph)) {
            int[] at = new int[graph.size()];
            Arrays.setAll(at, node -> node);
            return Grid.of(graph, new Row[] {Row.FULL}, new int[] {graph.size()}, new int[][] {at});
        }
        if (graph.shareOfSquares() < SQUARES || !mostHaveTriangles(graph)) {
            return null;
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
        return graph.entries() >= Math.floor(FULL_MESH * graph.size() * all) && !alike;
    }

    /** Whether half of the nodes are in a clique of four: without one no row is longer than three. */
    private static boolean mostHaveTriangles(Subgraph graph) {
        int with = 0;
        for (int node = 0; node < graph.size(); node++) {
            boolean found = false;
            for (int e = graph.first(node); e < graph.first(node + 1) && !found; e++) {
                found = graph.common(node, graph.neighbor(e)) >= 2;
            }
            with += found ? 1 : 0;
        }
        return with >= graph.size() / 2;
    }

    private static @Nullable Grid severalAxes(Subgraph graph) {
        CliqueRows rows = new CliqueRows(graph);
        int axes = rows.axes();
        if (axes < 2 || axes > MAX_AXES) {
            return null;
        }
        int[][] at = new int[axes][];
        int[] sides = new int[axes];
        for (int axis = 0; axis < axes; axis++) {
            at[axis] = new int[graph.size()];
            sides[axis] = layers(graph, rows, axis, at[axis]);
        }
        boolean longRow = Arrays.stream(sides).anyMatch(side -> side > 3);
        if (!longRow || Arrays.stream(sides).anyMatch(side -> side < 2)) {
            return null;
        }
        Row[] kinds = new Row[axes];
        Arrays.setAll(kinds, axis -> sides[axis] == 2 ? Row.PAIR : Row.FULL);
        Grid grid = Grid.of(graph, kinds, sides, at);
        if (grid == null) {
            return null;
        }
        grid.fillHoles();
        return grid.fits() ? grid : null;
    }

    /** Number of layers across an axis; each node gets that of its layer, -1 where that is a fragment. */
    private static int layers(Subgraph graph, CliqueRows rows, int axis, int[] at) {
        Arrays.fill(at, -1);
        List<int[]> found = new ArrayList<>();
        int[] queue = new int[graph.size()];
        for (int start = 0; start < at.length; start++) {
            if (at[start] >= 0) {
                continue;
            }
            at[start] = found.size();
            queue[0] = start;
            int filled = 1;
            for (int i = 0; i < filled; i++) {
                for (int e = graph.first(queue[i]); e < graph.first(queue[i] + 1); e++) {
                    int along = rows.axisOf(e);
                    if (along != axis && along < rows.axes() && at[graph.neighbor(e)] < 0) {
                        at[graph.neighbor(e)] = found.size();
                        queue[filled++] = graph.neighbor(e);
                    }
                }
            }
            found.add(Arrays.copyOf(queue, filled));
        }
        int[] sizes = found.stream().mapToInt(layer -> layer.length).sorted().toArray();
        int largest = sizes.length == 0 ? 0 : sizes[sizes.length - 1];
        List<int[]> whole = found.stream()
                .filter(layer -> layer.length > WHOLE_LAYER * largest)
                .sorted(Comparator.comparingInt(layer -> layer[0]))
                .toList();
        Arrays.fill(at, -1);
        for (int layer = 0; layer < whole.size(); layer++) {
            for (int node : whole.get(layer)) {
                at[node] = layer;
            }
        }
        return Math.max(whole.size(), rows.typicalLength(axis));
    }
}
