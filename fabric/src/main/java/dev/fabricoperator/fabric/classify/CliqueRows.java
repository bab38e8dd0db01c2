/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.DisjointSets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cliques that are rows of a HyperX, and which of these rows are parallel.
 *
 * <p>Idea: the common neighbours of two neighbours of a row are the rest of the row. Two rows are parallel if the nodes of
 * one are matched with the nodes of the other by edges that close squares without diagonals.
 *
 * <p>Cost: O(e * d) steps for e pairs of neighbours and d neighbours each, times the square of the number of axes.
 */
final class CliqueRows {
    /** A node in more rows than this is in no HyperX: some cables are missing or stray, but not that many. */
    private static final int MOST_ROWS = 16;

    private final Subgraph graph;
    private final int[] rowOfEntry;
    private final List<int[]> rows = new ArrayList<>();
    private final int[] hits;
    private int[] axisOfRow = new int[0];
    private int axes;

    CliqueRows(Subgraph graph) {
        this.graph = graph;
        rowOfEntry = new int[graph.entries()];
        hits = new int[graph.size()];
        Arrays.fill(rowOfEntry, -1);
        for (int node = 0; node < graph.size(); node++) {
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                if (rowOfEntry[e] < 0) {
                    int[] row = row(node, graph.neighbor(e));
                    mark(row);
                    rows.add(row);
                }
            }
        }
        Arrays.fill(hits, -1);
        findAxes();
    }

    /** Number of axes along which at least half of the nodes have a row. */
    int axes() {
        return axes;
    }

    /** The axis of the way along an entry of the graph's neighbours; {@link #axes()} or more for a stray cable. */
    int axisOf(int entry) {
        return axisOfRow[rowOfEntry[entry]];
    }

    /** The length that half of the nodes in rows along an axis see. */
    int typicalLength(int axis) {
        int[] lengths = new int[graph.size() + 1];
        int nodes = 0;
        for (int row = 0; row < rows.size(); row++) {
            if (axisOfRow[row] == axis) {
                lengths[rows.get(row).length] += rows.get(row).length;
                nodes += rows.get(row).length;
            }
        }
        int length = 0;
        for (int seen = 0; 2 * seen < nodes; seen += lengths[length]) {
            length++;
        }
        return length;
    }

    /** The row through two neighbours, ascending. */
    private int[] row(int one, int other) {
        int[] seed = new int[graph.degree(one) + 1];
        int seeds = 0;
        seed[seeds++] = one;
        seed[seeds++] = other;
        int i = graph.firstNeighbor(one);
        int j = graph.firstNeighbor(other);
        while (i < graph.firstNeighbor(one + 1) && j < graph.firstNeighbor(other + 1)) {
            int difference = graph.neighbor(i) - graph.neighbor(j);
            if (difference == 0) {
                seed[seeds++] = graph.neighbor(i);
            }
            i += difference <= 0 ? 1 : 0;
            j += difference >= 0 ? 1 : 0;
        }
        int enough = (int) Math.ceil(Thresholds.OF_CLIQUE * seeds);
        int[] row = new int[graph.size()];
        int filled = 0;
        for (int s = 0; s < seeds; s++) {
            // A node of the row is not joined with itself.
            hits[seed[s]]++;
        }
        for (int s = 0; s < seeds; s++) {
            for (int e = graph.firstNeighbor(seed[s]); e < graph.firstNeighbor(seed[s] + 1); e++) {
                int node = graph.neighbor(e);
                if (++hits[node] == enough && node != one && node != other) {
                    row[filled++] = node;
                }
            }
        }
        row[filled++] = one;
        row[filled++] = other;
        for (int s = 0; s < seeds; s++) {
            hits[seed[s]] = 0;
            for (int e = graph.firstNeighbor(seed[s]); e < graph.firstNeighbor(seed[s] + 1); e++) {
                hits[graph.neighbor(e)] = 0;
            }
        }
        int[] sorted = Arrays.copyOf(row, filled);
        Arrays.sort(sorted);
        return sorted;
    }

    private void mark(int[] row) {
        for (int one : row) {
            for (int other : row) {
                int entry = one == other ? -1 : graph.entry(one, other);
                if (entry >= 0 && rowOfEntry[entry] < 0) {
                    rowOfEntry[entry] = rows.size();
                }
            }
        }
    }

    private void findAxes() {
        int[][] rowsOfNode = new int[graph.size()][];
        for (int node = 0; node < rowsOfNode.length; node++) {
            rowsOfNode[node] = Arrays.stream(rowOfEntry, graph.firstNeighbor(node), graph.firstNeighbor(node + 1))
                    .distinct()
                    .toArray();
        }
        if (Arrays.stream(rowsOfNode).filter(own -> own.length > MOST_ROWS).count() > graph.size() / 2) {
            // Nearly every cable is a row of its own, as between the groups of a dragonfly: rows without axes.
            axisOfRow = new int[rows.size()];
            return;
        }
        DisjointSets sets = new DisjointSets(rows.size());
        for (int row = 0; row < rows.size(); row++) {
            int[] nodes = rows.get(row);
            for (int i = 1; i < nodes.length; i++) {
                joinParallels(sets, row, nodes[i - 1], nodes[i], rowsOfNode);
            }
        }
        int[] nodes = new int[rows.size()];
        for (int row = 0; row < nodes.length; row++) {
            nodes[sets.root(row)] += rows.get(row).length;
        }
        Integer[] order = new Integer[rows.size()];
        Arrays.setAll(order, r -> r);
        Arrays.sort(order, (a, b) -> nodes[a] != nodes[b] ? nodes[b] - nodes[a] : a - b);
        int[] number = new int[rows.size()];
        for (int i = 0; i < order.length; i++) {
            number[order[i]] = i;
            axes += nodes[order[i]] >= graph.size() / 2.0 ? 1 : 0;
        }
        axisOfRow = new int[rows.size()];
        for (int row = 0; row < axisOfRow.length; row++) {
            axisOfRow[row] = number[sets.root(row)];
        }
    }

    private void joinParallels(DisjointSets sets, int row, int node, int next, int[][] rowsOfNode) {
        for (int one : rowsOfNode[node]) {
            for (int other : rowsOfNode[next]) {
                if (one != row && other != row && !sets.areJoined(one, other)) {
                    int smaller = Math.min(rows.get(one).length, rows.get(other).length);
                    if (squares(node, rows.get(one), next, rows.get(other))
                            >= Math.max(1, Thresholds.PARALLEL * (smaller - 1))) {
                        sets.join(one, other);
                    }
                }
            }
        }
    }

    /** How many nodes of one row have a neighbour in the other that is not joined with the first node, nor it with the next. */
    private int squares(int node, int[] one, int next, int[] other) {
        for (int far : other) {
            hits[far] = far == next || far == node || graph.joined(far, node) ? -1 : next;
        }
        int count = 0;
        for (int near : one) {
            boolean found = near == node || near == next || graph.joined(near, next);
            for (int e = graph.firstNeighbor(near); !found && e < graph.firstNeighbor(near + 1); e++) {
                if (hits[graph.neighbor(e)] >= 0) {
                    found = true;
                    count++;
                }
            }
        }
        for (int far : other) {
            hits[far] = -1;
        }
        return count;
    }
}
