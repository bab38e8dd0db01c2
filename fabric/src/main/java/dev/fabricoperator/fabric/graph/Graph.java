/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

/**
 * An undirected graph whose nodes are numbered from 0. Neighbours are compressed sparse rows: those of node n are entries
 * {@code firstNeighbor(n)} to {@code firstNeighbor(n + 1)} exclusive, ascending, each once; who is a neighbour has one.
 */
public interface Graph {
    /** Number of nodes. */
    int size();

    int firstNeighbor(int node);

    /** The node at an entry. */
    int neighbor(int entry);

    /** Number of neighbours. */
    default int degree(int node) {
        return firstNeighbor(node + 1) - firstNeighbor(node);
    }

    /** Entry of {@code other} among the neighbours of {@code node}; -1 where they are none. Cost: O(log degree). */
    default int entry(int node, int other) {
        int low = firstNeighbor(node);
        int high = firstNeighbor(node + 1) - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            int found = neighbor(middle);
            if (found == other) {
                return middle;
            }
            low = found < other ? middle + 1 : low;
            high = found < other ? high : middle - 1;
        }
        return -1;
    }

    default boolean joined(int node, int other) {
        return entry(node, other) >= 0;
    }
}
