/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.Grid.Row;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Backtracking search for a subgraph isomorphism from a small graph into a given grid: each node is tried next to its placed
 * neighbours. Edges of the grid that the graph lacks are missing cables; too many of them, or too many steps, end the
 * search.
 */
final class PatternSearch {
    private static final int MAX_STEPS = 40_000;

    private final Subgraph graph;
    private final int[][] joinedWith;
    private final int[] order;
    /** Per node in that order, the first of its neighbours before it; -1 for the first node. */
    private final int[] parent;

    private final int[] placeOf;
    private final int[] nodeAt;
    private final int mayMiss;
    private int steps;

    private PatternSearch(Subgraph graph, int[][] joinedWith, int mayMiss) {
        this.graph = graph;
        this.joinedWith = joinedWith;
        this.mayMiss = mayMiss;
        order = new int[graph.size()];
        parent = new int[graph.size()];
        placeOf = new int[graph.size()];
        nodeAt = new int[joinedWith.length];
        Arrays.fill(placeOf, -1);
        Arrays.fill(nodeAt, -1);
    }

    /**
     * @param mayMiss pairs of neighbours of the grid that may be none in the graph, of those with a node in both places
     * @return {@code null} where it does not fit, or where that was not found out in time
     */
    static @Nullable Grid of(Subgraph graph, Row[] rows, int[] sides, int mayMiss) {
        int[][] at = new int[sides.length][graph.size()];
        for (int[] axis : at) {
            Arrays.fill(axis, -1);
        }
        Grid grid = Grid.of(graph, rows, sides, at);
        if (grid == null) {
            return null;
        }
        int[][] joinedWith = new int[grid.nodeAt().length][];
        Arrays.setAll(joinedWith, grid::joinedWith);
        PatternSearch search = new PatternSearch(graph, joinedWith, mayMiss);
        return search.findOrder() && search.find(grid) ? search.filled(grid) : null;
    }

    /** Nodes with most neighbours that come before them; false where the graph falls into parts. */
    private boolean findOrder() {
        int[] before = new int[graph.size()];
        boolean[] taken = new boolean[graph.size()];
        for (int i = 0; i < order.length; i++) {
            int next = -1;
            for (int node = 0; node < order.length; node++) {
                boolean better = !taken[node]
                        && (next < 0
                                || before[node] > before[next]
                                || before[node] == before[next] && graph.degree(node) > graph.degree(next));
                next = better ? node : next;
            }
            if (i > 0 && before[next] == 0) {
                return false;
            }
            taken[next] = true;
            order[i] = next;
            parent[i] = -1;
            for (int e = graph.firstNeighbor(next); e < graph.firstNeighbor(next + 1); e++) {
                before[graph.neighbor(e)]++;
                parent[i] = parent[i] < 0 && taken[graph.neighbor(e)] ? graph.neighbor(e) : parent[i];
            }
        }
        return true;
    }

    private boolean find(Grid grid) {
        for (int place = 0; place < nodeAt.length; place++) {
            if (grid.isFirstOfAlike(place) && extend(0, place, 0)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the rest fits with the i-th node in a place. */
    private boolean extend(int i, int place, int missing) {
        int node = order[i];
        int[] near = joinedWith[place];
        if (++steps > MAX_STEPS || graph.degree(node) > near.length) {
            return false;
        }
        int placed = 0;
        int joined = 0;
        for (int other : near) {
            placed += nodeAt[other] >= 0 ? 1 : 0;
            joined += nodeAt[other] >= 0 && graph.joined(node, nodeAt[other]) ? 1 : 0;
        }
        int neighbors = 0;
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            neighbors += placeOf[graph.neighbor(e)] >= 0 ? 1 : 0;
        }
        int lacks = missing + placed - joined;
        boolean fits = joined == neighbors && lacks <= mayMiss && graph.degree(node) - joined <= near.length - placed;
        if (!fits) {
            return false;
        }
        placeOf[node] = place;
        nodeAt[place] = node;
        if (i + 1 == order.length) {
            return true;
        }
        for (int next : joinedWith[placeOf[parent[i + 1]]]) {
            if (nodeAt[next] < 0 && extend(i + 1, next, lacks)) {
                return true;
            }
        }
        placeOf[node] = -1;
        nodeAt[place] = -1;
        return false;
    }

    private @Nullable Grid filled(Grid grid) {
        int[][] at = new int[grid.sides().length][graph.size()];
        for (int node = 0; node < placeOf.length; node++) {
            int rest = placeOf[node];
            for (int axis = at.length - 1; axis >= 0; axis--) {
                at[axis][node] = rest % grid.sides()[axis];
                rest /= grid.sides()[axis];
            }
        }
        return Grid.of(graph, grid.rows(), grid.sides(), at);
    }
}
