/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.Arrays;

/**
 * A depth-first search of the switches, with low points: which cables and switches are the only way between two parts is read from
 * them. A cable to the parent is the only one where {@code low[at] == number[at]}; a switch that is no root parts what is below a
 * child from the rest where {@code low[child] >= number[at]}.
 *
 * <p>Cost: O(switches + neighbours), without recursion: a chain may be as long as there are switches.
 *
 * @param order switches as they are found, part by part; those below one in the tree follow it
 * @param parent by switch, the one from which it was found; -1 for the first of each part
 * @param number by switch, its place in the order
 * @param low by switch, the smallest number next to it and what is below it, by neighbours other than the parent
 * @see "Tarjan, A note on finding the bridges of a graph, 1974"
 */
public record LowPoints(int[] order, int[] parent, int[] number, int[] low) {
    public static LowPoints of(Topology topology) {
        int switches = topology.switches();
        LowPoints points = new LowPoints(new int[switches], new int[switches], new int[switches], new int[switches]);
        Arrays.fill(points.number, -1);
        int[] next = new int[switches];
        int visited = 0;
        for (int root = 0; root < switches; root++) {
            if (points.number[root] < 0) {
                visited = points.walk(topology, root, next, visited);
            }
        }
        for (int i = switches - 1; i >= 0; i--) {
            int up = points.parent[points.order[i]];
            if (up >= 0) {
                points.low[up] = Math.min(points.low[up], points.low[points.order[i]]);
            }
        }
        return points;
    }

    /** @param next by switch, the neighbour that the search looks at next */
    private int walk(Topology topology, int root, int[] next, int before) {
        int visited = before;
        int at = root;
        parent[root] = -1;
        visit(topology, root, next, visited++);
        while (at >= 0) {
            if (next[at] == topology.firstNeighbor(at + 1)) {
                at = parent[at];
                continue;
            }
            int neighbor = topology.neighbor(next[at]++);
            if (number[neighbor] < 0) {
                parent[neighbor] = at;
                visit(topology, neighbor, next, visited++);
                at = neighbor;
            } else if (neighbor != parent[at]) {
                low[at] = Math.min(low[at], number[neighbor]);
            }
        }
        return visited;
    }

    private void visit(Topology topology, int at, int[] next, int place) {
        order[place] = at;
        number[at] = place;
        low[at] = place;
        next[at] = topology.firstNeighbor(at);
    }
}
