/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Numbers a grid as it was numbered before: axes are exchanged, rings turned and reflected, chains reflected, layers of
 * a HyperX renamed, so that most switches stand where they stood. Where fewer than half would, the fresh numbers stay.
 *
 * <p>Cost: O(d * d * n) for d axes and n switches, and the square of a side per pair of axes of a HyperX.
 */
final class GridAlignment {
    /** A value of an axis that fewer switches have than this share of the usual number is behind the grid. */
    private static final double BEHIND = 0.3;

    private static final double ENOUGH = 0.5;

    private final Topology topology;
    private final Classification fresh;
    private final int[][] before;
    private final int[] sides;

    private GridAlignment(Topology topology, Classification fresh, int[][] before) {
        this.topology = topology;
        this.fresh = fresh;
        this.before = before;
        sides = Arrays.stream(fresh.axes()).mapToInt(GridAlignment::side).toArray();
    }

    /** New numbers for the places of one axis, to be used as another, and how many switches then stand as before. */
    private record Renumbering(int from, int to, int[] numbers, int matches) {}

    static Classification of(Topology topology, Classification fresh, Remembered before) {
        return new GridAlignment(topology, fresh, before.addressOfSwitch()).aligned();
    }

    /** The side of an axis, without what stands behind the grid. */
    static int side(int[] axis) {
        int[] population = new int[Arrays.stream(axis).max().orElse(-1) + 2];
        for (int value : axis) {
            if (value >= 0) {
                population[value]++;
            }
        }
        int[] sorted = Arrays.copyOf(population, population.length - 1);
        Arrays.sort(sorted);
        int side = sorted.length;
        while (side > 1 && population[side - 1] < BEHIND * sorted[sorted.length / 2]) {
            side--;
        }
        return side;
    }

    private Classification aligned() {
        int dims = sides.length;
        List<Renumbering> candidates = new ArrayList<>();
        for (int from = 0; from < dims; from++) {
            for (int to = 0; to < dims; to++) {
                candidates.add(best(from, to));
            }
        }
        candidates.sort(Comparator.<Renumbering>comparingInt(r -> -r.matches)
                .thenComparingInt(r -> r.from)
                .thenComparingInt(r -> r.to));
        int[][] axes = new int[dims][];
        boolean[] used = new boolean[dims];
        for (Renumbering r : candidates) {
            if (!used[r.from] && axes[r.to] == null) {
                used[r.from] = true;
                int[] axis = fresh.axes()[r.from];
                axes[r.to] = Arrays.stream(axis)
                        .map(value -> value < 0 || value >= r.numbers.length ? value : r.numbers[value])
                        .toArray();
            }
        }
        int known = 0;
        int same = 0;
        for (int s = 0; s < before.length; s++) {
            if (before[s].length == dims && axes[0][s] >= 0) {
                known++;
                same += stands(axes, s) ? 1 : 0;
            }
        }
        return known > 0 && same >= ENOUGH * known ? with(axes) : fresh;
    }

    private boolean stands(int[][] axes, int s) {
        for (int axis = 0; axis < axes.length; axis++) {
            if (axes[axis][s] != before[s][axis]) {
                return false;
            }
        }
        return true;
    }

    private Classification with(int[][] axes) {
        int groups = Arrays.stream(axes[0]).max().orElse(-1) + 1;
        return new Classification(
                fresh.kind(),
                fresh.levelOfSwitch(),
                axes,
                fresh.planes(),
                fresh.planeOfSwitch(),
                fresh.planeOfEnd(),
                groups,
                axes[0],
                Groups.byFirstDevice(topology, axes[0], groups).ofEnd());
    }

    private Renumbering best(int from, int to) {
        int side = sides[from];
        int[] axis = fresh.axes()[from];
        int[][] together = new int[side][side];
        boolean fits = true;
        for (int s = 0; s < before.length; s++) {
            if (before[s].length == sides.length && axis[s] >= 0 && axis[s] < side && before[s][to] < side) {
                together[axis[s]][before[s][to]]++;
            }
        }
        for (int s = 0; s < before.length; s++) {
            // An axis that was longer is another one.
            fits &= before[s].length != sides.length || before[s][to] < side || isBehind(s);
        }
        int[] numbers = fresh.kind() == FabricKind.HyperX ? renamed(together) : moved(together, isRing(from));
        int matches = fits ? matches(together, numbers) : -1;
        return new Renumbering(from, to, numbers, matches);
    }

    private boolean isBehind(int s) {
        for (int axis = 0; axis < sides.length; axis++) {
            if (fresh.axes()[axis][s] >= sides[axis]) {
                return true;
            }
        }
        return false;
    }

    private static int matches(int[][] together, int[] numbers) {
        int matches = 0;
        for (int value = 0; value < numbers.length; value++) {
            matches += together[value][numbers[value]];
        }
        return matches;
    }

    /** Layers take the numbers that most of their switches had. */
    private static int[] renamed(int[][] together) {
        int side = together.length;
        int[] numbers = new int[side];
        Arrays.fill(numbers, -1);
        boolean[] taken = new boolean[side];
        for (int round = 0; round < side; round++) {
            int bestValue = -1;
            int bestNumber = -1;
            for (int value = 0; value < side; value++) {
                for (int number = 0; numbers[value] < 0 && number < side; number++) {
                    if (!taken[number]
                            && (bestValue < 0 || together[value][number] > together[bestValue][bestNumber])) {
                        bestValue = value;
                        bestNumber = number;
                    }
                }
            }
            numbers[bestValue] = bestNumber;
            taken[bestNumber] = true;
        }
        return numbers;
    }

    private static int[] moved(int[][] together, boolean ring) {
        int side = together.length;
        int[] best = new int[side];
        Arrays.setAll(best, value -> value);
        for (int turn = 0; turn < (ring ? side : 1); turn++) {
            int shift = turn;
            int[] turned = new int[side];
            Arrays.setAll(turned, value -> (value + shift) % side);
            int[] reflected = new int[side];
            Arrays.setAll(reflected, value -> (2 * side - 1 - value + shift) % side);
            best = matches(together, turned) > matches(together, best) ? turned : best;
            best = matches(together, reflected) > matches(together, best) ? reflected : best;
        }
        return best;
    }

    /** Whether the last layer is joined with the first as the first is with the second. */
    private boolean isRing(int axis) {
        int side = sides[axis];
        if (fresh.kind() == FabricKind.Torus) {
            return true;
        }
        int around = 0;
        int along = 0;
        int[] at = fresh.axes()[axis];
        for (int s = 0; s < at.length; s++) {
            for (int n = topology.firstNeighbor(s); at[s] == 0 && n < topology.firstNeighbor(s + 1); n++) {
                around += at[topology.neighbor(n)] == side - 1 ? 1 : 0;
                along += at[topology.neighbor(n)] == 1 ? 1 : 0;
            }
        }
        return side > 2 && 2 * around > along;
    }
}
