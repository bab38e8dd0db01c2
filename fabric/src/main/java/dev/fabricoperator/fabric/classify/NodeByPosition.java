/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.Arrays;

/** Hash table from the number of a position to the node there; -1 for none. */
final class NodeByPosition {
    private final long[] keys;
    private final int[] values;
    private final int mask;

    NodeByPosition(int capacity) {
        int size = Integer.highestOneBit(Math.max(4, capacity)) << 2;
        keys = new long[size];
        values = new int[size];
        mask = size - 1;
        clear();
    }

    void clear() {
        Arrays.fill(values, -1);
    }

    int get(long key) {
        return values[slot(key)];
    }

    void put(long key, int node) {
        int slot = slot(key);
        keys[slot] = key;
        values[slot] = node;
    }

    private int slot(long key) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        int slot = (int) (mixed ^ mixed >>> 32) & mask;
        while (values[slot] >= 0 && keys[slot] != key) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
