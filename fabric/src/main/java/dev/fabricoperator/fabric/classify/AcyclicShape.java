/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

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
        int[] degree = new int[switches];
        int size = 0;
        int links = 0;
        int tips = 0;
        for (int s = 0; s < switches; s++) {
            degree[s] = topology.firstNeighbor(s + 1) - topology.firstNeighbor(s);
            size += degree[s] > 0 || hops.edgeOf(s) >= 0 ? 1 : 0;
            links += degree[s];
            tips += degree[s] == 1 ? 1 : 0;
        }
        if (size < 2 || links != 2 * (size - 1) || 2 * tips <= size) {
            return null;
        }
        int root = middle(topology, degree.clone(), size);
        int[] depth = new int[switches];
        int[] parent = new int[switches];
        int[] order = new int[size];
        int reached = walk(topology, root, depth, parent, order);
        return reached == size ? shape(topology, hops, depth, parent, order) : null;
    }

    /** Takes the tips away, again and again, until one switch is left. */
    private static int middle(Topology topology, int[] degree, int size) {
        int[] queue = new int[degree.length];
        int filled = 0;
        for (int s = 0; s < degree.length; s++) {
            if (degree[s] == 1) {
                queue[filled++] = s;
            }
        }
        for (int i = 0; i < filled && filled < size; i++) {
            for (int n = topology.firstNeighbor(queue[i]); n < topology.firstNeighbor(queue[i] + 1); n++) {
                if (--degree[topology.neighbor(n)] == 1) {
                    queue[filled++] = topology.neighbor(n);
                }
            }
        }
        return queue[filled - 1];
    }

    private static int walk(Topology topology, int root, int[] depth, int[] parent, int[] order) {
        Arrays.fill(depth, -1);
        Arrays.fill(parent, -1);
        depth[root] = 0;
        order[0] = root;
        int filled = 1;
        for (int i = 0; i < filled; i++) {
            for (int n = topology.firstNeighbor(order[i]); n < topology.firstNeighbor(order[i] + 1); n++) {
                int neighbor = topology.neighbor(n);
                if (depth[neighbor] < 0) {
                    depth[neighbor] = depth[order[i]] + 1;
                    parent[neighbor] = order[i];
                    order[filled++] = neighbor;
                }
            }
        }
        return filled;
    }

    private static TreeShape shape(Topology topology, EdgeHops hops, int[] depth, int[] parent, int[] order) {
        int deepest = depth[order[order.length - 1]];
        int[] levels = new int[depth.length];
        for (int s = 0; s < levels.length; s++) {
            levels[s] = depth[s] < 0 ? -1 : deepest - depth[s] + 1;
        }
        boolean[] leaf = new boolean[hops.size()];
        for (int edge = 0; edge < leaf.length; edge++) {
            int s = hops.switchOf(edge);
            leaf[edge] = topology.firstNeighbor(s + 1) - topology.firstNeighbor(s) == 1;
        }
        List<int[]> axes = new ArrayList<>();
        List<Integer> axisLevels = new ArrayList<>();
        int before = 1;
        for (int at = 1; at < deepest; at++) {
            int[] branch = new int[depth.length];
            for (int s : order) {
                branch[s] = depth[s] < at ? -1 : depth[s] == at ? s : branch[parent[s]];
            }
            for (int s = 0; s < branch.length; s++) {
                branch[s] = depth[s] < 0 ? -1 : branch[s];
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
