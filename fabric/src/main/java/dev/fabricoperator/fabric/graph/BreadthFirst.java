/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * A search breadth first, from all starts at once or from one after the other.
 *
 * <pre>
 * Cost:   O(nodes + neighbours) time, O(nodes) space.
 * </pre>
 */
public final class BreadthFirst {
    /** Whether the search goes from a node to the neighbour at an entry. */
    public interface Way {
        boolean isOpen(int from, int entry);
    }

    private final Graph graph;
    private final Way way;
    private final int[] order;
    private final int[] level;
    private final int[] parent;
    private int reached;

    private BreadthFirst(Graph graph, Way way) {
        this.graph = graph;
        this.way = way;
        order = new int[graph.size()];
        level = new int[graph.size()];
        parent = new int[graph.size()];
        Arrays.fill(level, -1);
        Arrays.fill(parent, -1);
    }

    public static BreadthFirst from(Graph graph, IntPredicate start) {
        BreadthFirst search = new BreadthFirst(graph, (from, entry) -> true);
        for (int node = 0; node < search.order.length; node++) {
            if (start.test(node)) {
                search.reach(node, -1);
            }
        }
        search.spread(0);
        return search;
    }

    /** By node, 1 for those that {@code start} accepts, 2 for their neighbours, and so on; -1 out of reach. */
    public static int[] levels(Graph graph, IntPredicate start) {
        return from(graph, start).level;
    }

    /** Connected components: by node, the smallest node of its component. */
    public static int[] components(Graph graph) {
        return components(graph, start -> true, (from, entry) -> true);
    }

    /** By node, the smallest of those that {@code start} accepts from which it is reached; -1 where there is none. */
    public static int[] components(Graph graph, IntPredicate start, Way way) {
        BreadthFirst search = new BreadthFirst(graph, way);
        int[] component = new int[search.order.length];
        Arrays.fill(component, -1);
        for (int first = 0; first < component.length; first++) {
            if (component[first] < 0 && start.test(first)) {
                int begin = search.reached;
                search.reach(first, -1);
                search.spread(begin);
                for (int i = begin; i < search.reached; i++) {
                    component[search.order[i]] = first;
                }
            }
        }
        return component;
    }

    private void reach(int node, int from) {
        order[reached++] = node;
        parent[node] = from;
        level[node] = from < 0 ? 1 : level[from] + 1;
    }

    private void spread(int begin) {
        for (int i = begin; i < reached; i++) {
            int at = order[i];
            int end = graph.firstNeighbor(at + 1);
            for (int entry = graph.firstNeighbor(at); entry < end; entry++) {
                if (level[graph.neighbor(entry)] < 0 && way.isOpen(at, entry)) {
                    reach(graph.neighbor(entry), at);
                }
            }
        }
    }

    /** The nodes that were reached, the nearest first. */
    public int[] order() {
        return Arrays.copyOf(order, reached);
    }

    /** The node from which one was reached; -1 for a start, and out of reach. */
    public int parent(int node) {
        return parent[node];
    }

    /** 1 for a start; -1 out of reach. */
    public int level(int node) {
        return level[node];
    }
}
