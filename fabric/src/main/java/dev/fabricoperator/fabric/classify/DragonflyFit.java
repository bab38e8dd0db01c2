/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import java.util.Arrays;
import java.util.stream.IntStream;

/** How well a wiring that is divided into groups is a dragonfly. */
final class DragonflyFit {
    /** Switches of a group that chance does not connect fully twice. */
    private static final int SMALLEST_WHOLE = 4;

    /** One cable between two groups is a bridge between two fabrics. */
    private static final int TWO_WAYS = 2;

    private final Subgraph graph;
    private final int[] groupOf;
    private final int groups;
    private final int[] sizes;
    private final int[][] neighbors;
    private NoMatch against = new NoMatch(Reason.NO_GROUPS);

    /**
     * @param groupOf by node; -1 for one in no group
     * @param sizes of each group
     * @param neighbors per pair of groups; those within a group count twice
     */
    DragonflyFit(Subgraph graph, int[] groupOf, int[] sizes, int[][] neighbors) {
        this.graph = graph;
        this.groupOf = groupOf;
        groups = sizes.length;
        this.sizes = sizes;
        this.neighbors = neighbors;
    }

    /** Share of nodes in groups that fit; 0 where it is no dragonfly. */
    double score() {
        if (groups < 2 || groups > graph.size() / 2) {
            return no(Reason.NO_GROUPS, groups, graph.size());
        }
        int pairs = 0;
        for (int one = 0; one < groups; one++) {
            for (int other = 0; other < one; other++) {
                pairs += neighbors[one][other] > 0 ? 1 : 0;
                if (neighbors[one][other] > Thresholds.SPARSE * sizes[one] * sizes[other]) {
                    return no(Reason.ALL_JOINED, neighbors[one][other], (long) sizes[one] * sizes[other]);
                }
            }
        }
        if (!standOut()) {
            long within = IntStream.range(0, groups)
                    .mapToLong(group -> neighbors[group][group])
                    .sum();
            long all = Arrays.stream(neighbors).flatMapToInt(Arrays::stream).sum();
            return no(Reason.NOT_APART, within / 2, (all - within) / 2);
        }
        double enough = groups == 2 ? Thresholds.BITS_SAVED_BY_TWO : Thresholds.BITS_SAVED;
        if (!areTwoWhole() && BlockModel.of(sizes, neighbors).bitsSaved() < enough) {
            return no(Reason.BY_CHANCE, groups, graph.size());
        }
        int all = groups * (groups - 1) / 2;
        if (fewAreMissing(all - pairs)) {
            return 1;
        }
        if (pairs < Thresholds.GROUPS_JOINED * all) {
            return no(Reason.GROUPS_APART, pairs, all);
        }
        int fitting = 0;
        int left = graph.size();
        long present = 0;
        long possible = 0;
        for (int group = 0; group < groups && fitting + left >= Thresholds.FITTING * graph.size(); group++) {
            left -= sizes[group];
            int own = sizes[group] * (sizes[group] - 1);
            boolean full = neighbors[group][group] >= Thresholds.FULL_GROUP * own;
            present += full ? neighbors[group][group] : 0;
            possible += full ? own : 0;
            fitting += full || isRowsAndColumns(group) ? sizes[group] : 0;
        }
        double share = fitting / (double) graph.size();
        if (share < Thresholds.FITTING) {
            return no(Reason.NOT_WHOLE, fitting, graph.size());
        }
        return present < Thresholds.FULL_TOGETHER * possible ? no(Reason.LACKING, present / 2, possible / 2) : share;
    }

    /** The score of what is no dragonfly. */
    private double no(Reason reason, long count, long of) {
        against = new NoMatch(reason, count, of);
        return 0;
    }

    /** Of what is no dragonfly. */
    NoMatch whyNot() {
        score();
        return against;
    }

    /** Whether there are two groups of one size, both fully connected: few cables between them save few bits. */
    private boolean areTwoWhole() {
        if (groups != 2 || sizes[0] != sizes[1] || sizes[0] < SMALLEST_WHOLE) {
            return false;
        }
        int all = sizes[0] * (sizes[0] - 1);
        return neighbors[0][0] == all && neighbors[1][1] == all && neighbors[0][1] >= TWO_WAYS;
    }

    /** Whether groups are fully connected, and joined, but for one cable in ten. */
    private boolean fewAreMissing(int unjoined) {
        int missing = unjoined;
        for (int group = 0; group < groups; group++) {
            missing += (sizes[group] * (sizes[group] - 1) - neighbors[group][group]) / 2;
        }
        return missing <= Math.ceil(Thresholds.LOST * (graph.entries() / 2.0 + missing));
    }

    /** Whether nodes of one group are neighbours far more often than nodes of different groups. */
    private boolean standOut() {
        double local = 0;
        double localPairs = 0;
        double global = 0;
        double globalPairs = 0;
        for (int one = 0; one < groups; one++) {
            local += neighbors[one][one] / 2.0;
            localPairs += sizes[one] * (sizes[one] - 1) / 2.0;
            for (int other = 0; other < one; other++) {
                global += neighbors[one][other];
                globalPairs += (double) sizes[one] * sizes[other];
            }
        }
        return local >= Thresholds.LOCAL * global
                && local * globalPairs >= Thresholds.MORE_WITHIN * global * localPairs;
    }

    private boolean isRowsAndColumns(int group) {
        return HyperXShape.of(graph.only(node -> groupOf[node] == group)) instanceof Grid grid
                && grid.sides().length == 2;
    }
}
