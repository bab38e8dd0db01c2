/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Where each slot hangs: distinct pairs of a switch and the cost of a device's own cable. A fabric has about as many as
 * switches that hold devices, so what is computed per pair need not be computed per slot.
 */
final class Attachments {
    /** Of an empty slot. */
    static final int EMPTY = 0;

    /** Of a device that no way leads to: without a cable, or drained. */
    static final int LOOSE = 1;

    private static final int FIRST = 2;

    /** Pairs up to which an array finds the number of a pair, and above a map. */
    private static final int DENSE = 1 << 22;

    private final int[] ofSlot;
    private final char[] row;
    private final char[] ownCost;

    private Attachments(int[] ofSlot, char[] row, char[] ownCost) {
        this.ofSlot = ofSlot;
        this.row = row;
        this.ownCost = ownCost;
    }

    /**
     * @param rowOfSlot row of the switch matrix, -1 without, -2 for an empty slot
     * @param costOfSlot cost of the own cable where there is a row
     */
    static Attachments of(int[] rowOfSlot, int[] costOfSlot, int rows) {
        int[] classOfCost = new int[CostMatrix.UNREACHABLE];
        int classes = 0;
        for (int slot = 0; slot < rowOfSlot.length; slot++) {
            if (rowOfSlot[slot] >= 0 && classOfCost[costOfSlot[slot]] == 0) {
                classOfCost[costOfSlot[slot]] = ++classes;
            }
        }
        Numbers numbers = new Numbers((long) rows * classes);
        int[] ofSlot = new int[rowOfSlot.length];
        char[] row = new char[FIRST + Math.min(rowOfSlot.length, 1024)];
        char[] ownCost = new char[row.length];
        for (int slot = 0; slot < ofSlot.length; slot++) {
            int at = rowOfSlot[slot];
            if (at < 0) {
                ofSlot[slot] = at == -1 ? LOOSE : EMPTY;
                continue;
            }
            int known = numbers.size;
            int number = FIRST + numbers.of((long) at * classes + classOfCost[costOfSlot[slot]] - 1);
            ofSlot[slot] = number;
            if (numbers.size > known) {
                if (number == row.length) {
                    row = Arrays.copyOf(row, 2 * number);
                    ownCost = Arrays.copyOf(ownCost, 2 * number);
                }
                row[number] = (char) at;
                ownCost[number] = (char) costOfSlot[slot];
            }
        }
        int size = FIRST + numbers.size;
        return new Attachments(ofSlot, Arrays.copyOf(row, size), Arrays.copyOf(ownCost, size));
    }

    /** Numbers keys in the order in which they are met. */
    private static final class Numbers {
        private final int[] dense;
        private final Map<Long, Integer> sparse = new HashMap<>();
        private int size;

        Numbers(long keys) {
            dense = new int[keys <= DENSE ? (int) keys : 0];
        }

        int of(long key) {
            if (key < dense.length) {
                int at = (int) key;
                if (dense[at] == 0) {
                    dense[at] = ++size;
                }
                return dense[at] - 1;
            }
            int number = sparse.computeIfAbsent(key, k -> size);
            size = Math.max(size, number + 1);
            return number;
        }
    }

    int slots() {
        return ofSlot.length;
    }

    /** Also counts {@link #EMPTY} and {@link #LOOSE}. */
    int size() {
        return row.length;
    }

    int of(int slot) {
        return ofSlot[slot];
    }

    /** Row of the switch matrix. */
    int row(int attachment) {
        return row[attachment];
    }

    int ownCost(int attachment) {
        return ownCost[attachment];
    }

    static boolean isCabled(int attachment) {
        return attachment >= FIRST;
    }

    /**
     * Cost from one attachment to each, 65535 to {@link #EMPTY} and {@link #LOOSE}.
     *
     * @param from a cabled one
     */
    void costsFrom(int from, SwitchCosts switches, char[] into) {
        into[EMPTY] = CostMatrix.UNREACHABLE;
        into[LOOSE] = CostMatrix.UNREACHABLE;
        char[] between = switches.row(row[from]);
        int own = ownCost[from];
        for (int to = FIRST; to < row.length; to++) {
            into[to] = (char) CostMatrix.sum(own, between[row[to]], ownCost[to]);
        }
    }

    /** Spreads costs per attachment over slots. */
    void expand(char[] costOfAttachment, short[] into, int offset) {
        int[] attachments = ofSlot;
        for (int slot = 0; slot < attachments.length; slot++) {
            into[offset + slot] = (short) costOfAttachment[attachments[slot]];
        }
    }

    long bytes() {
        return 3 * 16 + 4L * ofSlot.length + 4L * row.length;
    }
}
