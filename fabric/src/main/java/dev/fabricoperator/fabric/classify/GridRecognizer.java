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
 * Torus, mesh and HyperX: grids of switches that differ in how the switches of a row are joined. Axes are those of the
 * grid, groups its layers across the first one.
 */
final class GridRecognizer implements Recognizer {
    @Override
    public @Nullable Classification recognize(Topology topology, EdgeHops hops) {
        Core core = Core.of(topology);
        Grid grid = HyperXShape.of(core);
        grid = grid == null ? LatticeShape.of(core) : grid;
        return grid == null ? null : classify(topology, hops, GridOrder.canonical(grid));
    }

    private static FabricKind kind(Grid grid) {
        if (GridOrder.isTorus(grid)) {
            return FabricKind.Torus;
        }
        boolean full = Arrays.stream(grid.rows()).anyMatch(row -> row == Row.FULL);
        return full ? FabricKind.HyperX : FabricKind.Mesh;
    }

    private static Classification classify(Topology topology, EdgeHops hops, Grid grid) {
        int[][] axes = GridAddresses.of(topology, hops, grid);
        int groups = Arrays.stream(axes[0]).max().orElse(-1) + 1;
        return new Classification(
                kind(grid),
                Levels.from(topology, s -> hops.edgeOf(s) >= 0),
                axes,
                1,
                new int[topology.switches()],
                new int[topology.ends()],
                groups,
                axes[0],
                Groups.byFirstDevice(topology, axes[0], groups).ofEnd());
    }
}
