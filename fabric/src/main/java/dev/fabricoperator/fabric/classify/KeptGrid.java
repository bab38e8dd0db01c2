/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A grid with the coordinates of the generation before, as long as its wiring is a part of that grid. Damage leaves holes
 * and never gives another grid; nothing is searched for.
 *
 * <p>It does not hold where cables run that the grid does not have, where too many of the grid are missing, or where all
 * rings of an axis are open between the same two layers, as in a mesh.
 *
 * <p>Cost: O(neighbours), and the sum of all sides per switch.
 */
final class KeptGrid {
    private final FabricKind kind;
    private final int[][] at;
    private final int[] sides;

    private KeptGrid(FabricKind kind, int[][] addressOfSwitch, int dims) {
        this.kind = kind;
        int switches = addressOfSwitch.length;
        at = new int[dims][switches];
        for (int axis = 0; axis < dims; axis++) {
            for (int s = 0; s < switches; s++) {
                at[axis][s] = addressOfSwitch[s].length == dims ? addressOfSwitch[s][axis] : -1;
            }
        }
        sides = Arrays.stream(at).mapToInt(Classification::side).toArray();
    }

    /** {@code null} where the wiring is something else now. */
    static @Nullable Classification of(
            Topology topology, EdgeHops hops, FabricKind kind, PreviousNumbers before, int dims) {
        Grid grid = new KeptGrid(kind, before.addressOfSwitch(), dims).grid(topology);
        return grid == null ? null : GridRecognizer.classify(topology, hops, grid, kind);
    }

    /** The length of each axis before, without what stood behind the grid. */
    static int[] sides(PreviousNumbers before, int dims) {
        return new KeptGrid(FabricKind.Flat, before.addressOfSwitch(), dims).sides;
    }

    private @Nullable Grid grid(Topology topology) {
        Subgraph graph = Subgraph.whole(topology);
        long known = Arrays.stream(at[0]).filter(value -> value >= 0).count();
        if (Arrays.stream(sides).min().orElse(0) < 2 && sides.length > 1
                || known < Thresholds.KNOWN * hosting(topology)) {
            return null;
        }
        Row[] rows = new Row[sides.length];
        for (int axis = 0; axis < rows.length; axis++) {
            rows[axis] = sides[axis] == 2 ? Row.PAIR : kind == FabricKind.HyperX ? Row.FULL : Row.RING;
        }
        Grid grid = Grid.of(graph, rows, sides, at);
        if (grid == null) {
            return null;
        }
        for (int axis = 0; axis < rows.length && kind == FabricKind.Mesh; axis++) {
            // Axes of a mesh may wrap, if not all do.
            boolean ring = rows[axis] == Row.RING && closes(grid, axis, sides[axis] - 1);
            rows[axis] = rows[axis] == Row.RING && !ring ? Row.CHAIN : rows[axis];
        }
        if (kind == FabricKind.Mesh && GridOrder.isTorus(grid)) {
            return null;
        }
        takeOutWhatMoved(grid);
        grid.fillHoles();
        return isPartOf(grid) ? grid : null;
    }

    private static int hosting(Topology topology) {
        boolean[] holds = new boolean[topology.switches()];
        int count = 0;
        for (int end = 0; end < topology.ends(); end++) {
            int s = topology.endSwitch(end);
            if (s >= 0 && !holds[s]) {
                holds[s] = true;
                count++;
            }
        }
        return count;
    }

    /** A switch whose cables mostly lead elsewhere than the pattern's was put into another place. */
    private void takeOutWhatMoved(Grid grid) {
        Subgraph graph = grid.graph();
        boolean[] moved = new boolean[graph.size()];
        for (int node = 0; node < graph.size(); node++) {
            int place = grid.placeOf(node);
            int with = 0;
            int against = 0;
            for (int e = graph.firstNeighbor(node); place >= 0 && e < graph.firstNeighbor(node + 1); e++) {
                int other = grid.placeOf(graph.neighbor(e));
                with += other >= 0 && grid.joins(place, other) ? 1 : 0;
                against += other >= 0 && !grid.joins(place, other) ? 1 : 0;
            }
            moved[node] = against > with;
        }
        for (int node = 0; node < moved.length; node++) {
            if (moved[node]) {
                grid.takeOut(node);
            }
        }
    }

    private boolean isPartOf(Grid grid) {
        Subgraph graph = grid.graph();
        int neighbors = 0;
        int stray = 0;
        for (int node = 0; node < graph.size(); node++) {
            int place = grid.placeOf(node);
            for (int e = graph.firstNeighbor(node); place >= 0 && e < graph.firstNeighbor(node + 1); e++) {
                int other = grid.placeOf(graph.neighbor(e));
                neighbors += other >= 0 ? 1 : 0;
                stray += other >= 0 && !grid.joins(place, other) ? 1 : 0;
            }
        }
        if (neighbors == 0 || stray > Thresholds.STRAY * neighbors || grid.isEmptyElsewhere()) {
            return false;
        }
        int all = 0;
        int gone = 0;
        for (int axis = 0; axis < sides.length; axis++) {
            int expected = 0;
            int missing = 0;
            for (int place = 0; place < grid.nodeAt().length; place++) {
                for (int other : grid.joinedAlong(axis, place)) {
                    boolean pair = other > place && grid.nodeAt()[place] >= 0 && grid.nodeAt()[other] >= 0;
                    expected += pair ? 1 : 0;
                    missing += pair && !graph.joined(grid.nodeAt()[place], grid.nodeAt()[other]) ? 1 : 0;
                }
            }
            all += expected;
            gone += missing;
            if (missing > Math.max(1, Thresholds.KEPT_MISSING_ALONG_AXIS * expected) || opens(grid, axis)) {
                return false;
            }
        }
        return gone <= Math.max(1, Thresholds.KEPT_MISSING * all);
    }

    /** Whether the rings along an axis, several of them, are all open between the same two layers. */
    private boolean opens(Grid grid, int axis) {
        for (int layer = 0; grid.rows()[axis] == Row.RING && layer < sides[axis]; layer++) {
            if (!closes(grid, axis, layer)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a layer is joined with the next one, or too little is left to tell. */
    private boolean closes(Grid grid, int axis, int layer) {
        int expected = 0;
        int present = 0;
        int next = (layer + 1) % sides[axis];
        for (int node = 0; node < grid.graph().size(); node++) {
            int other = at[axis][node] == layer ? grid.neighborPlace(axis, grid.placeOf(node), next) : -1;
            if (other >= 0 && grid.nodeAt()[other] >= 0) {
                expected++;
                present += grid.graph().joined(node, grid.nodeAt()[other]) ? 1 : 0;
            }
        }
        boolean mayWrap = kind == FabricKind.Mesh && next == 0;
        return mayWrap ? present > Thresholds.SEAM * expected : expected < 2 || present >= Thresholds.SEAM * expected;
    }
}
