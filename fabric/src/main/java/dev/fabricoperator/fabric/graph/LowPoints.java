/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import java.util.Arrays;

/**
 * A depth-first search, with low points: which edges and nodes are the only way between two parts is read from
 * them. An edge to the parent is the only one where {@code low[at] == number[at]}; a node that is no root parts what is below a
 * child from the rest where {@code low[child] >= number[at]}.
 *
 * <p>Cost: O(nodes + neighbours), without recursion: a chain may be as long as there are nodes.
 *
 * @param order nodes as they are found, part by part; those below one in the tree follow it
 * @param parent by node, the one from which it was found; -1 for the first of each part
 * @param number by node, its place in the order
 * @param low by node, the smallest number next to it and what is below it, by neighbours other than the parent
 * @see "Tarjan, A note on finding the bridges of a graph, 1974"
 */
public record LowPoints(int[] order, int[] parent, int[] number, int[] low) {
    public static LowPoints of(Graph graph) {
        int size = graph.size();
        LowPoints points = new LowPoints(new int[size], new int[size], new int[size], new int[size]);
        Arrays.fill(points.number, -1);
        int[] next = new int[size];
        int visited = 0;
        for (int root = 0; root < size; root++) {
            if (points.number[root] < 0) {
                visited = points.walk(graph, root, next, visited);
            }
        }
        for (int i = size - 1; i >= 0; i--) {
            int up = points.parent[points.order[i]];
            if (up >= 0) {
                points.low[up] = Math.min(points.low[up], points.low[points.order[i]]);
            }
        }
        return points;
    }

    /** @param next by node, the neighbour that the search looks at next */
    private int walk(Graph graph, int root, int[] next, int before) {
        int visited = before;
        int at = root;
        parent[root] = -1;
        visit(graph, root, next, visited++);
        while (at >= 0) {
            if (next[at] == graph.firstNeighbor(at + 1)) {
                at = parent[at];
                continue;
            }
            int neighbor = graph.neighbor(next[at]++);
            if (number[neighbor] < 0) {
                parent[neighbor] = at;
                visit(graph, neighbor, next, visited++);
                at = neighbor;
            } else if (neighbor != parent[at]) {
                low[at] = Math.min(low[at], number[neighbor]);
            }
        }
        return visited;
    }

    private void visit(Graph graph, int at, int[] next, int place) {
        order[place] = at;
        number[at] = place;
        low[at] = place;
        next[at] = graph.firstNeighbor(at);
    }
}
