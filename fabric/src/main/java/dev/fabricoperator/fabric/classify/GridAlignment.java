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
 * Numbers a grid as in the generation before: axes are exchanged, rings rotated and reflected, chains reflected and layers
 * of a HyperX permuted so that most switches keep their coordinates. Where fewer than half would, the grid is numbered anew.
 *
 * <p>Cost: O(d * d * n log n) for d axes and n switches.
 */
final class GridAlignment {
    private final Topology topology;
    private final Classification fresh;
    private final int[][] before;
    private final int[] sides;

    private GridAlignment(Topology topology, Classification fresh, int[][] before) {
        this.topology = topology;
        this.fresh = fresh;
        this.before = before;
        sides = Arrays.stream(fresh.axes()).mapToInt(Classification::side).toArray();
    }

    /** New numbers for the places of one axis, to be used as another, and how many switches then stand as before. */
    private record Renumbering(int from, int to, int[] numbers, int matches) {}

    /** @param before address of each switch in the generation before, empty where it had none */
    static Classification of(Topology topology, Classification fresh, int[][] before) {
        return new GridAlignment(topology, fresh, before).aligned();
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
        return known > 0 && same >= Thresholds.ALIGNED * known ? with(axes) : fresh;
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
                Groups.byHost(topology, axes[0], groups).ofEnd());
    }

    private Renumbering best(int from, int to) {
        int side = sides[from];
        int[] axis = fresh.axes()[from];
        List<int[]> pairs = new ArrayList<>();
        boolean fits = true;
        for (int s = 0; s < before.length; s++) {
            if (before[s].length == sides.length) {
                if (axis[s] >= 0 && axis[s] < side && before[s][to] < side) {
                    pairs.add(new int[] {axis[s], before[s][to]});
                }
                // An axis that was longer is another one.
                fits &= before[s][to] < side || isBehind(s);
            }
        }
        int[] numbers = fresh.kind() == FabricKind.HyperX ? renamed(pairs, side) : moved(pairs, side, isRing(from));
        return new Renumbering(from, to, numbers, fits ? matches(pairs, numbers) : -1);
    }

    private boolean isBehind(int s) {
        for (int axis = 0; axis < sides.length; axis++) {
            if (fresh.axes()[axis][s] >= sides[axis]) {
                return true;
            }
        }
        return false;
    }

    /** @param pairs per switch its fresh number and the one that it had */
    private static int matches(List<int[]> pairs, int[] numbers) {
        int matches = 0;
        for (int[] pair : pairs) {
            matches += numbers[pair[0]] == pair[1] ? 1 : 0;
        }
        return matches;
    }

    /** Layers take the numbers that most of their switches had. */
    private static int[] renamed(List<int[]> pairs, int side) {
        LabelMatching matching = new LabelMatching();
        pairs.forEach(pair -> matching.add(pair[0], pair[1], 1));
        return matching.labels(side);
    }

    /** The turn, of a chain none, and the direction that leave most switches where they were. */
    private static int[] moved(List<int[]> pairs, int side, boolean ring) {
        int[] turned = new int[side];
        int[] reflected = new int[side];
        for (int[] pair : pairs) {
            turned[Math.floorMod(pair[1] - pair[0], side)]++;
            reflected[Math.floorMod(pair[1] + pair[0] + 1, side)]++;
        }
        int best = 0;
        boolean reflects = false;
        for (int turn = 0; turn < (ring ? side : 1); turn++) {
            int most = reflects ? reflected[best] : turned[best];
            if (turned[turn] > most) {
                best = turn;
                reflects = false;
                most = turned[turn];
            }
            if (reflected[turn] > most) {
                best = turn;
                reflects = true;
            }
        }
        int[] numbers = new int[side];
        for (int value = 0; value < side; value++) {
            numbers[value] = Math.floorMod(reflects ? best - 1 - value : best + value, side);
        }
        return numbers;
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
