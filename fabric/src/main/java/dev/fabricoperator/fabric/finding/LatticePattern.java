/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.classify.Thresholds;
import dev.fabricoperator.fabric.graph.TwoCore;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Positions of a torus, mesh or HyperX without a switch, and neighbours without a link. */
final class LatticePattern {
    /** From this share of rows on that are rings, the others have lost a cable. */
    private static final double MOST_ROWS = 0.5;

    private static final int MOST_PLACES = 1 << 20;

    private final ClassifiedTopology wiring;
    private final Topology topology;
    private final FabricKind kind;
    private final int[][] axes;
    private final int[] sizes;
    private final boolean[] wraps;
    private final Map<List<Integer>, Integer> switchAt = new HashMap<>();
    private final List<Finding> found = new ArrayList<>();

    private LatticePattern(ClassifiedTopology wiring) {
        this.wiring = wiring;
        topology = wiring.topology();
        kind = wiring.classification().kind();
        axes = wiring.classification().axes();
        // Of a single ring no layer is sparser than another: what hangs off it has the next number.
        boolean isRing = axes.length == 1 && kind == FabricKind.Torus;
        int[] holder = TwoCore.holders(topology);
        boolean[] inGrid = new boolean[holder.length];
        for (int at = 0; at < inGrid.length; at++) {
            int here = at;
            inGrid[at] = (!isRing || holder[at] == at) && Arrays.stream(axes).noneMatch(axis -> axis[here] < 0);
        }
        sizes = Arrays.stream(axes)
                .map(axis -> IntStream.range(0, axis.length)
                        .map(at -> inGrid[at] ? axis[at] : -1)
                        .toArray())
                .mapToInt(Classification::side)
                .toArray();
        for (int at = 0; at < inGrid.length; at++) {
            List<Integer> place = new ArrayList<>(axes.length);
            for (int axis = 0; axis < axes.length; axis++) {
                inGrid[at] &= axes[axis][at] < sizes[axis];
                place.add(axes[axis][at]);
            }
            if (inGrid[at]) {
                switchAt.put(place, at);
            }
        }
        wraps = new boolean[axes.length];
        for (int axis = 0; axis < wraps.length; axis++) {
            wraps[axis] = wraps(axis);
        }
    }

    /**
     * Whether the rows along an axis are rings: all axes of a torus of three switches or more, and those of a mesh where
     * most rows have a cable from end to end.
     */
    private boolean wraps(int axis) {
        if (sizes[axis] < 3 || kind != FabricKind.Mesh) {
            return sizes[axis] >= 3 && kind == FabricKind.Torus;
        }
        int rows = 0;
        int closed = 0;
        for (Map.Entry<List<Integer>, Integer> first : switchAt.entrySet()) {
            Integer last =
                    first.getKey().get(axis) > 0 ? null : switchAt.get(at(first.getKey(), axis, sizes[axis] - 1));
            rows += last == null ? 0 : 1;
            closed += last != null && topology.joined(first.getValue(), last) ? 1 : 0;
        }
        return rows > 1 && closed >= MOST_ROWS * rows;
    }

    private static List<Integer> at(List<Integer> place, int axis, int number) {
        List<Integer> other = new ArrayList<>(place);
        other.set(axis, number);
        return other;
    }

    static List<Finding> of(ClassifiedTopology wiring) {
        LatticePattern pattern = new LatticePattern(wiring);
        pattern.places();
        pattern.switchAt.forEach(pattern::links);
        return pattern.found;
    }

    private void places() {
        long places = 1;
        for (int size : sizes) {
            places *= size;
        }
        if (places > MOST_PLACES || places - switchAt.size() > (1 - Thresholds.TAKEN) * places) {
            return;
        }
        List<Integer> place = new ArrayList<>(Collections.nCopies(sizes.length, 0));
        for (long i = 0; i < places; i++) {
            long rest = i;
            for (int axis = sizes.length - 1; axis >= 0; axis--) {
                place.set(axis, (int) (rest % sizes[axis]));
                rest /= sizes[axis];
            }
            if (!switchAt.containsKey(place)) {
                Finding.Place[] beside = beside(place);
                found.add(new Finding(
                        FindingType.MissingSwitch,
                        "place " + words(place),
                        "no switch at " + words(place) + " of a " + kind + " of "
                                + words(Arrays.stream(sizes).boxed().toList())
                                + (beside.length == 0
                                        ? ""
                                        : "; beside it are "
                                                + Arrays.stream(beside)
                                                        .map(Finding.Place::name)
                                                        .collect(Collectors.joining(", "))),
                        beside));
            }
        }
    }

    /** The switches next to a place, axis by axis. */
    private Finding.Place[] beside(List<Integer> place) {
        Set<Integer> found = new LinkedHashSet<>();
        for (int axis = 0; axis < sizes.length; axis++) {
            for (int step : new int[] {-1, 1}) {
                int next = place.get(axis) + step;
                Integer at = switchAt.get(at(place, axis, wraps[axis] ? Math.floorMod(next, sizes[axis]) : next));
                if (at != null) {
                    found.add(at);
                }
            }
        }
        return found.stream().map(wiring::place).toArray(Finding.Place[]::new);
    }

    private void links(List<Integer> place, int at) {
        for (int axis = 0; axis < sizes.length; axis++) {
            int here = place.get(axis);
            int last = kind == FabricKind.HyperX ? sizes[axis] - 1 : Math.min(here + 1, sizes[axis]);
            for (int there = here + 1; there <= last; there++) {
                boolean around = there == sizes[axis];
                if (around && !wraps[axis]) {
                    continue;
                }
                List<Integer> next = at(place, axis, around ? 0 : there);
                Integer far = switchAt.get(next);
                if (far != null && !topology.joined(at, far)) {
                    found.add(new Finding(
                            FindingType.MissingUplink,
                            topology.switchId(at) + " to " + topology.switchId(far),
                            topology.switchName(at) + " at " + words(place) + " to " + topology.switchName(far) + " at "
                                    + words(next) + ": no link",
                            wiring.place(at),
                            wiring.place(far)));
                }
            }
        }
    }

    private static String words(List<Integer> place) {
        return place.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
