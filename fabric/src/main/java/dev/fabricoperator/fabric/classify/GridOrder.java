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
import java.util.Objects;

/**
 * The canonical numbering of a grid, the same for the same wiring. A ring begins at the first switch and runs in the
 * direction of the next ones, a chain begins at the end nearer to the first switch, layers of a HyperX are numbered by their
 * first switch. The longest axis comes first, then the one along which the first switches differ.
 */
final class GridOrder {
    private GridOrder() {}

    /**
     * @return the same places under other numbers; in a torus pairs of axes of two places are rings of four
     */
    static Grid canonical(Grid grid) {
        int[][] at = new int[grid.sides().length][];
        for (int axis = 0; axis < at.length; axis++) {
            at[axis] = renumber(grid.rows()[axis], grid.sides()[axis], grid.at()[axis]);
        }
        Grid sorted = sorted(grid, grid.rows(), grid.sides(), at);
        return isTorus(sorted) ? withRingsOfFour(sorted) : sorted;
    }

    /** Whether all rows are rings, a row of two being one. */
    static boolean isTorus(Grid grid) {
        return Arrays.stream(grid.rows()).allMatch(row -> row == Row.RING || row == Row.PAIR);
    }

    private static Grid sorted(Grid grid, Row[] rows, int[] sides, int[][] at) {
        Integer[] order = new Integer[sides.length];
        Arrays.setAll(order, axis -> axis);
        Arrays.sort(
                order,
                Comparator.<Integer>comparingInt(axis -> -sides[axis])
                        .thenComparing(axis -> at[axis], (one, other) -> -Arrays.compare(one, other)));
        return regrouped(
                grid,
                Arrays.stream(order).map(axis -> rows[axis]).toArray(Row[]::new),
                Arrays.stream(order).mapToInt(axis -> sides[axis]).toArray(),
                Arrays.stream(order).map(axis -> at[axis]).toArray(int[][]::new));
    }

    private static Grid regrouped(Grid grid, Row[] rows, int[] sides, int[][] at) {
        return Objects.requireNonNull(Grid.of(grid.graph(), rows, sides, at), "as many places as before");
    }

    /** Numbers along one axis, seen from the first node. */
    private static int[] renumber(Row row, int side, int[] at) {
        int[] numbers = at.clone();
        if (row == Row.FULL) {
            int[] known = new int[side];
            int next = 0;
            for (int node = 0; node < numbers.length; node++) {
                if (at[node] >= 0) {
                    known[at[node]] = known[at[node]] == 0 ? ++next : known[at[node]];
                    numbers[node] = known[at[node]] - 1;
                }
            }
            return numbers;
        }
        if (row == Row.RING) {
            int first = firstPlaced(at);
            for (int node = 0; node < numbers.length; node++) {
                numbers[node] = at[node] < 0 ? -1 : Math.floorMod(at[node] - first, side);
            }
        }
        for (int number : numbers) {
            int mirrored = mirrored(row, side, number);
            if (number >= 0 && number != mirrored) {
                if (number > mirrored) {
                    Arrays.setAll(numbers, node -> mirrored(row, side, numbers[node]));
                }
                return numbers;
            }
        }
        return numbers;
    }

    private static int mirrored(Row row, int side, int number) {
        return number < 0 ? -1 : row == Row.RING ? (side - number) % side : side - 1 - number;
    }

    private static int firstPlaced(int[] at) {
        for (int number : at) {
            if (number >= 0) {
                return number;
            }
        }
        return 0;
    }

    private static Grid withRingsOfFour(Grid grid) {
        double[] cables = grid.cablesAlong();
        double usual = Double.MAX_VALUE;
        boolean rings = Arrays.stream(grid.rows()).anyMatch(row -> row == Row.RING);
        for (int axis = 0; axis < cables.length; axis++) {
            usual = !rings || grid.rows()[axis] == Row.RING ? Math.min(usual, cables[axis]) : usual;
        }
        List<Integer> pairs = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        List<Integer> sides = new ArrayList<>();
        List<int[]> at = new ArrayList<>();
        for (int axis = 0; axis < cables.length; axis++) {
            if (grid.rows()[axis] == Row.PAIR && cables[axis] < Thresholds.DOUBLE_CABLES * usual) {
                pairs.add(axis);
            } else {
                rows.add(grid.rows()[axis]);
                sides.add(grid.sides()[axis]);
                at.add(grid.at()[axis]);
            }
        }
        for (int i = 0; i < pairs.size(); i += 2) {
            int[] one = grid.at()[pairs.get(i)];
            boolean single = i + 1 == pairs.size();
            rows.add(single ? Row.PAIR : Row.RING);
            sides.add(single ? 2 : 4);
            at.add(single ? one : ringOfFour(one, grid.at()[pairs.get(i + 1)]));
        }
        return sorted(
                grid,
                rows.toArray(Row[]::new),
                sides.stream().mapToInt(side -> side).toArray(),
                at.toArray(int[][]::new));
    }

    /** 0-0, 1-0, 1-1, 0-1 are next to each other in this order. */
    static int[] ringOfFour(int[] one, int[] other) {
        int[] ring = new int[one.length];
        Arrays.setAll(ring, node -> one[node] < 0 ? -1 : other[node] == 0 ? one[node] : 3 - one[node]);
        return ring;
    }
}
