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
 * <p>Idea: what stays connected when the cables along one axis are taken away has one place on that axis.
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

    /** {@code null} where the core is none, or where all rows are so short that they are rings as well. */
    static @Nullable Grid of(Core core) {
        if (core.size() < SMALLEST) {
            return null;
        }
        if (isFullMesh(core)) {
            int[] at = new int[core.size()];
            Arrays.setAll(at, node -> node);
            return Grid.of(core, new Row[] {Row.FULL}, new int[] {core.size()}, new int[][] {at});
        }
        if (core.shareOfSquares() < SQUARES || !mostHaveTriangles(core)) {
            return null;
        }
        return severalAxes(core);
    }

    /** Whether few cables are missing; where each node lacks as many as the others, they were never there. */
    private static boolean isFullMesh(Core core) {
        int all = core.size() - 1;
        boolean alike = core.degree(0) < all;
        for (int node = 1; node < core.size(); node++) {
            alike &= core.degree(node) == core.degree(0);
        }
        return core.entries() >= Math.floor(FULL_MESH * core.size() * all) && !alike;
    }

    /** Whether half of the nodes are in a clique of four: without one no row is longer than three. */
    private static boolean mostHaveTriangles(Core core) {
        int with = 0;
        for (int node = 0; node < core.size(); node++) {
            boolean found = false;
            for (int e = core.first(node); e < core.first(node + 1) && !found; e++) {
                found = core.common(node, core.neighbor(e)) >= 2;
            }
            with += found ? 1 : 0;
        }
        return with >= core.size() / 2;
    }

    private static @Nullable Grid severalAxes(Core core) {
        CliqueRows rows = new CliqueRows(core);
        int axes = rows.axes();
        if (axes < 2 || axes > MAX_AXES) {
            return null;
        }
        int[][] at = new int[axes][];
        int[] sides = new int[axes];
        for (int axis = 0; axis < axes; axis++) {
            at[axis] = new int[core.size()];
            sides[axis] = layers(core, rows, axis, at[axis]);
        }
        boolean longRow = Arrays.stream(sides).anyMatch(side -> side > 3);
        if (!longRow || Arrays.stream(sides).anyMatch(side -> side < 2)) {
            return null;
        }
        Row[] kinds = new Row[axes];
        Arrays.setAll(kinds, axis -> sides[axis] == 2 ? Row.PAIR : Row.FULL);
        Grid grid = Grid.of(core, kinds, sides, at);
        if (grid == null) {
            return null;
        }
        grid.fillHoles();
        return grid.fits() ? grid : null;
    }

    /** Number of layers across an axis; each node gets that of its layer, -1 where that is a fragment. */
    private static int layers(Core core, CliqueRows rows, int axis, int[] at) {
        Arrays.fill(at, -1);
        List<int[]> found = new ArrayList<>();
        int[] queue = new int[core.size()];
        for (int start = 0; start < at.length; start++) {
            if (at[start] >= 0) {
                continue;
            }
            at[start] = found.size();
            queue[0] = start;
            int filled = 1;
            for (int i = 0; i < filled; i++) {
                for (int e = core.first(queue[i]); e < core.first(queue[i] + 1); e++) {
                    int along = rows.axisOf(e);
                    if (along != axis && along < rows.axes() && at[core.neighbor(e)] < 0) {
                        at[core.neighbor(e)] = found.size();
                        queue[filled++] = core.neighbor(e);
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
