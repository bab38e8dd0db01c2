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
 * Small and narrow grids, where a few missing cables are too many for {@link LatticeGrowth}: all grids with about as many
 * positions and edges are tried as a whole, those first that would lack the fewest cables.
 */
final class SmallGrids {
    private static final int MAX_NODES = 150;
    private static final int SMALLEST = 6;
    private static final int MAX_AXES = 4;

    private static final int MAX_TRIALS = 24;

    private SmallGrids() {}

    private record Pattern(int[] sides, Row[] rows, int neighbors, int places) {}

    /** {@code null} where none fits. */
    static @Nullable Grid of(Subgraph graph) {
        if (graph.size() < SMALLEST || graph.size() > MAX_NODES || graph.lacksSquares(Thresholds.SQUARES) != null) {
            return null;
        }
        int most = 0;
        for (int node = 0; node < graph.size(); node++) {
            most = Math.max(most, graph.degree(node));
        }
        if (most > 2 * MAX_AXES || most < 3) {
            return null;
        }
        List<Pattern> patterns = new ArrayList<>();
        for (int places = graph.size();
                places <= graph.size() + Math.max(1, Thresholds.EMPTY * graph.size());
                places++) {
            sides(places, places, new int[0], patterns);
        }
        int present = graph.entries() / 2;
        int degree = most;
        patterns.removeIf(p -> !isLikely(p, graph.size(), present, degree));
        patterns.sort(Comparator.<Pattern>comparingInt(p -> p.places).thenComparingInt(p -> p.neighbors));
        for (int trial = 0; trial < Math.min(MAX_TRIALS, patterns.size()); trial++) {
            Pattern pattern = patterns.get(trial);
            // With empty positions, a grid without missing cables is likelier than one with some.
            Grid grid = pattern.places == graph.size() ? null : PatternSearch.of(graph, pattern.rows, pattern.sides, 0);
            grid = grid == null ? PatternSearch.of(graph, pattern.rows, pattern.sides, mayMiss(pattern)) : grid;
            if (grid != null) {
                return grid;
            }
        }
        return null;
    }

    private static int mayMiss(Pattern pattern) {
        return (int) Math.max(1, Thresholds.LOST * pattern.neighbors);
    }

    private static boolean isLikely(Pattern pattern, int nodes, int present, int degree) {
        int highest = 0;
        for (int axis = 0; axis < pattern.sides.length; axis++) {
            highest += pattern.rows[axis] == Row.PAIR ? 1 : 2;
        }
        // An empty place has no cables either.
        int withoutPlaces = (pattern.places - nodes) * highest;
        return present <= pattern.neighbors
                && present >= pattern.neighbors - mayMiss(pattern) - withoutPlaces
                && degree <= highest;
    }

    /** All ways to write a number as a product of sides, longest first, and for each side of three or more a chain or a ring. */
    private static void sides(int rest, int highest, int[] chosen, List<Pattern> patterns) {
        if (rest == 1) {
            if (chosen.length > 1) {
                rows(chosen, 0, new Row[chosen.length], patterns);
            }
            return;
        }
        for (int side = Math.min(rest, highest); side >= 2 && chosen.length < MAX_AXES; side--) {
            if (rest % side == 0) {
                int[] more = Arrays.copyOf(chosen, chosen.length + 1);
                more[chosen.length] = side;
                sides(rest / side, side, more, patterns);
            }
        }
    }

    private static void rows(int[] sides, int axis, Row[] chosen, List<Pattern> patterns) {
        if (axis == sides.length) {
            int places = Arrays.stream(sides).reduce(1, (one, other) -> one * other);
            int neighbors = 0;
            for (int i = 0; i < sides.length; i++) {
                neighbors += chosen[i] == Row.RING ? places : places / sides[i] * (sides[i] - 1);
            }
            patterns.add(new Pattern(sides, chosen.clone(), neighbors, places));
            return;
        }
        chosen[axis] = sides[axis] == 2 ? Row.PAIR : Row.CHAIN;
        rows(sides, axis + 1, chosen, patterns);
        boolean after = axis > 0 && sides[axis] == sides[axis - 1] && chosen[axis - 1] == Row.CHAIN;
        // A ring of four is two axes of two; of equal sides, rings come first.
        if (sides[axis] > 2 && sides[axis] != 4 && !after) {
            chosen[axis] = Row.RING;
            rows(sides, axis + 1, chosen, patterns);
        }
    }
}
