/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Gives the parts of a fabric the labels that they had in the generation before, coarse to fine: planes, then each axis
 * within the axes before it, then groups. New parts take the lowest free labels; what was removed leaves a gap.
 *
 * <p>Cost: O(s + n) time for s switches and n device ends.
 */
final class Alignment {
    private final Topology topology;
    private final Classification fresh;
    private final PreviousNumbers before;
    private final int[] planeLabels;

    /** Whether a switch, or a device, has its previous numbers on all axes so far. */
    private final boolean[] switchStays;

    private final boolean[] endStays;

    private Alignment(Topology topology, Classification fresh, PreviousNumbers before) {
        this.topology = topology;
        this.fresh = fresh;
        this.before = before;
        switchStays = new boolean[topology.switches()];
        endStays = new boolean[topology.ends()];
        for (int s = 0; s < switchStays.length; s++) {
            switchStays[s] = before.addressOfSwitch()[s].length > 0;
        }
        for (int end = 0; end < endStays.length; end++) {
            endStays[end] = before.addressOfEnd()[end].length > 0 && topology.endSwitch(end) >= 0;
        }
        planeLabels = planes();
    }

    /** For kinds whose axes are numbered within one another, such as trees. */
    static Classification hierarchical(Topology topology, Classification fresh, PreviousNumbers before) {
        Alignment alignment = new Alignment(topology, fresh, before);
        return alignment.relabelled(alignment.nestedAxes());
    }

    /** The axes only, for kinds whose axes are numbered within one another. */
    static int[][] axes(Topology topology, Classification fresh, PreviousNumbers before) {
        return new Alignment(topology, fresh, before).nestedAxes();
    }

    private int[][] nestedAxes() {
        int[] path = new int[topology.switches()];
        for (int s = 0; s < path.length; s++) {
            path[s] = Math.max(fresh.planeOfSwitch()[s], 0);
        }
        int[][] axes = new int[fresh.axes().length][];
        for (int axis = 0; axis < axes.length; axis++) {
            axes[axis] = axis(axis, path);
        }
        return axes;
    }

    /** For rails: the last axis is the plane, and means the same in all units. */
    static Classification rails(Topology topology, Classification fresh, PreviousNumbers before) {
        Alignment alignment = new Alignment(topology, fresh, before);
        int[] unit = alignment.axis(0, new int[topology.switches()]);
        int[] rail = fresh.axes()[1].clone();
        for (int s = 0; s < rail.length; s++) {
            rail[s] = rail[s] < 0 ? -1 : alignment.planeLabels[rail[s]];
        }
        return alignment.relabelled(new int[][] {unit, rail});
    }

    private int[] planes() {
        LabelMatching matching = new LabelMatching();
        for (int end = 0; end < topology.managedEnds(); end++) {
            if (before.planeOfEnd()[end] >= 0 && topology.endSwitch(end) >= 0) {
                matching.add(fresh.planeOfEnd()[end], before.planeOfEnd()[end], LabelMatching.OF_DEVICE);
            }
        }
        if (fresh.kind() == FabricKind.RailOptimized) {
            for (int s = 0; s < topology.switches(); s++) {
                if (switchStays[s] && fresh.axes()[1][s] >= 0) {
                    matching.add(fresh.axes()[1][s], before.addressOfSwitch()[s][1], LabelMatching.OF_SWITCH);
                }
            }
        }
        return matching.labels(fresh.planes());
    }

    /** Labels of one axis; {@code path} tells apart what the axes before it do, and is refined by this one. */
    private int[] axis(int axis, int[] path) {
        int[] number = fresh.axes()[axis];
        int[] part = new int[path.length];
        Map<Integer, LabelMatching> matchings = new HashMap<>();
        Map<Integer, Integer> highest = new HashMap<>();
        Map<Long, Integer> paths = new HashMap<>();
        for (int s = 0; s < path.length; s++) {
            if (number[s] >= 0) {
                int next = paths.size();
                part[s] = paths.computeIfAbsent((long) path[s] << 32 | number[s], k -> next);
                highest.merge(path[s], number[s], Math::max);
                LabelMatching ofParent = matchings.computeIfAbsent(path[s], p -> new LabelMatching());
                if (switchStays[s]) {
                    ofParent.add(number[s], before.addressOfSwitch()[s][axis], LabelMatching.OF_SWITCH);
                }
            }
        }
        for (int end = 0; end < endStays.length; end++) {
            int at = topology.endSwitch(end);
            LabelMatching ofParent = at < 0 || number[at] < 0 ? null : matchings.get(path[at]);
            if (endStays[end] && ofParent != null) {
                ofParent.add(number[at], before.addressOfEnd()[end][axis], LabelMatching.OF_DEVICE);
            }
        }
        Map<Integer, int[]> labels = new HashMap<>();
        highest.forEach((parent, most) -> labels.put(
                parent, matchings.getOrDefault(parent, new LabelMatching()).labels(most + 1)));
        int[] aligned = number.clone();
        for (int s = 0; s < path.length; s++) {
            int[] ofParent = labels.get(path[s]);
            if (number[s] >= 0 && ofParent != null) {
                aligned[s] = ofParent[number[s]];
                path[s] = part[s];
                switchStays[s] &=
                        before.addressOfSwitch()[s].length > axis && before.addressOfSwitch()[s][axis] == aligned[s];
            }
        }
        for (int end = 0; end < endStays.length; end++) {
            endStays[end] &= endStays[end] && before.addressOfEnd()[end][axis] == aligned[topology.endSwitch(end)];
        }
        return aligned;
    }

    private Classification relabelled(int[][] axes) {
        LabelMatching matching = new LabelMatching();
        int parts = 0;
        for (int s = 0; s < topology.switches(); s++) {
            int group = fresh.groupOfSwitch()[s];
            parts = Math.max(parts, group + 1);
            if (group >= 0 && before.groupOfSwitch()[s] >= 0) {
                matching.add(group, before.groupOfSwitch()[s], LabelMatching.OF_SWITCH);
            }
        }
        for (int end = 0; end < topology.ends(); end++) {
            int group = fresh.groupOfEnd()[end];
            parts = Math.max(parts, group + 1);
            if (group >= 0 && before.groupOfEnd()[end] >= 0) {
                matching.add(group, before.groupOfEnd()[end], LabelMatching.OF_DEVICE);
            }
        }
        int[] groupLabels = matching.labels(parts);
        int planes = 1;
        for (int label : planeLabels) {
            planes = Math.max(planes, label + 1);
        }
        return new Classification(
                fresh.kind(),
                fresh.levelOfSwitch(),
                axes,
                planes,
                mapped(fresh.planeOfSwitch(), planeLabels),
                planesOfEnds(),
                fresh.groups(),
                mapped(fresh.groupOfSwitch(), groupLabels),
                mapped(fresh.groupOfEnd(), groupLabels));
    }

    /** A device whose cable is away stays in the plane that it was in. */
    private int[] planesOfEnds() {
        int[] planes = mapped(fresh.planeOfEnd(), planeLabels);
        for (int end = 0; end < topology.managedEnds(); end++) {
            int was = before.planeOfEnd()[end];
            if (topology.endSwitch(end) < 0 && Arrays.stream(planeLabels).anyMatch(label -> label == was)) {
                planes[end] = was;
            }
        }
        return planes;
    }

    private static int[] mapped(int[] numbers, int[] labels) {
        int[] mapped = new int[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            mapped[i] = numbers[i] < 0 ? numbers[i] : labels[numbers[i]];
        }
        return mapped;
    }
}
