/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Torus, mesh and HyperX: grids of switches that differ in how the switches of a row are joined. Axes are those of the
 * grid, groups its layers across the first one.
 */
final class GridRecognizer implements Classifier.Recognizer {
    @Override
    public Recognition recognize(Topology topology, EdgeHops hops) {
        Subgraph graph = Subgraph.twoCore(topology);
        Recognition hyperX = HyperXShape.of(graph);
        Recognition found = hyperX instanceof Grid ? hyperX : LatticeShape.of(graph);
        Grid grid = orSmall(topology, graph, found instanceof Grid fits ? fits : null);
        if (grid == null) {
            return hyperX instanceof NoMatch no && found instanceof NoMatch neither ? no.orNearer(neither) : found;
        }
        Grid canonical = GridOrder.canonical(grid);
        return classify(topology, hops, canonical, kind(canonical));
    }

    /** What only hangs off may be a corner that lost a cable, or a service switch: both are tried. */
    private static @Nullable Grid orSmall(Topology topology, Subgraph graph, @Nullable Grid other) {
        if (other != null && Arrays.stream(other.rows()).anyMatch(row -> row == Row.FULL)) {
            return other;
        }
        Subgraph part = Subgraph.largestPart(topology);
        Grid grid = part.size() > graph.size() ? SmallGrids.of(part) : null;
        if (grid == null && (other == null || !other.isWhole())) {
            grid = SmallGrids.of(graph);
        }
        return grid == null ? other : grid;
    }

    private static FabricKind kind(Grid grid) {
        if (GridOrder.isTorus(grid)) {
            return FabricKind.Torus;
        }
        boolean full = Arrays.stream(grid.rows()).anyMatch(row -> row == Row.FULL);
        return full ? FabricKind.HyperX : FabricKind.Mesh;
    }

    /** The classification of a fabric whose graph is a grid. */
    static Classification classify(Topology topology, EdgeHops hops, Grid grid, FabricKind kind) {
        int[][] axes = GridAddresses.of(topology, hops, grid);
        int groups = Arrays.stream(axes[0]).max().orElse(-1) + 1;
        return new Classification(
                kind,
                BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0),
                axes,
                1,
                new int[topology.switches()],
                new int[topology.ends()],
                groups,
                axes[0],
                Groups.byHost(topology, axes[0], groups).ofEnd());
    }
}
