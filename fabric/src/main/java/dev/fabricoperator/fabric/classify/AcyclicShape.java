/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.graph.TwoCore;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Wirings without any cycle, where devices may hang at inner switches and branches may differ in depth: two switches
 * with a cable, a star, a cascade. Their root is the middle. A chain of four or more is no such tree, but a line.
 */
final class AcyclicShape {
    private AcyclicShape() {}

    /** {@code null} where there are cycles, several parts, or a line. */
    static @Nullable TreeShape of(Topology topology, EdgeHops hops) {
        int switches = topology.switches();
        int size = 0;
        int links = 0;
        int tips = 0;
        for (int s = 0; s < switches; s++) {
            int degree = topology.degree(s);
            size += degree > 0 || hops.edgeOf(s) >= 0 ? 1 : 0;
            links += degree;
            tips += degree == 1 ? 1 : 0;
        }
        if (size < 2 || links != 2 * (size - 1) || 2 * tips <= size) {
            return null;
        }
        int[] taken = TwoCore.of(topology).taken();
        int middle = taken[taken.length - 1];
        BreadthFirst search = BreadthFirst.from(topology, s -> s == middle);
        return search.order().length == size ? shape(topology, hops, search) : null;
    }

    private static TreeShape shape(Topology topology, EdgeHops hops, BreadthFirst search) {
        int[] order = search.order();
        int deepest = search.level(order[order.length - 1]) - 1;
        int[] levels = new int[topology.switches()];
        for (int s = 0; s < levels.length; s++) {
            levels[s] = search.level(s) < 0 ? -1 : deepest - search.level(s) + 2;
        }
        boolean[] leaf = new boolean[hops.size()];
        for (int edge = 0; edge < leaf.length; edge++) {
            int s = hops.switchOf(edge);
            leaf[edge] = topology.degree(s) == 1;
        }
        List<int[]> axes = new ArrayList<>();
        List<Integer> axisLevels = new ArrayList<>();
        int before = 1;
        for (int at = 1; at < deepest; at++) {
            int[] branch = new int[levels.length];
            Arrays.fill(branch, -1);
            for (int s : order) {
                int depth = search.level(s) - 1;
                branch[s] = depth < at ? -1 : depth == at ? s : branch[search.parent(s)];
            }
            int count = count(hops, branch);
            if (count > before && count < hops.size()) {
                axes.add(branch);
                axisLevels.add(deepest - at + 1);
                before = count;
            }
        }
        return new TreeShape(
                levels,
                deepest + 1,
                List.copyOf(axes),
                axisLevels.stream().mapToInt(level -> level).toArray(),
                leaf);
    }

    private static int count(EdgeHops hops, int[] branch) {
        boolean[] seen = new boolean[branch.length];
        int count = 0;
        for (int edge = 0; edge < hops.size(); edge++) {
            int s = hops.switchOf(edge);
            int own = branch[s] < 0 ? s : branch[s];
            count += seen[own] ? 0 : 1;
            seen[own] = true;
        }
        return count;
    }
}
