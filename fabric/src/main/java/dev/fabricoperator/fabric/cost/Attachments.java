/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The attachment of each slot: the pair of its switch and the cost of its own cable. There are about as many different ones
 * as edge switches, so costs are computed per attachment and not per slot.
 */
final class Attachments {
    /** Of an empty slot. */
    static final int EMPTY = 0;

    /** Of an unreachable device: without a cable, or drained. */
    static final int LOOSE = 1;

    private static final int FIRST = 2;

    /** Pairs up to which arrays find the number of a pair, and above a map. */
    private static final int DENSE = 1 << 22;

    private final int[] ofSlot;
    private final char[] row;
    private final char[] ownCost;

    private Attachments(int[] ofSlot, char[] row, char[] ownCost) {
        this.ofSlot = ofSlot;
        this.row = row;
        this.ownCost = ownCost;
    }

    /** Numbers attachments in the order of the slots. */
    static final class Builder {
        private final int rows;
        private final int[] ofSlot;
        /** Numbers of costs, 1 and up; 0 for one that was not met yet. */
        private final char[] classOfCost = new char[CostMatrix.UNREACHABLE];
        /** By class and row, 0 for a pair that was not met yet; above {@link #DENSE} pairs {@link #sparse} knows them. */
        private final List<int[]> dense = new ArrayList<>();

        private final Map<Integer, Integer> sparse = new HashMap<>();
        private int lastCost = -1;
        private int[] lastClass = {};
        private int slots;
        private char[] row = new char[1024];
        private char[] ownCost = new char[1024];
        private int size = FIRST;

        Builder(int slots, int rows) {
            this.rows = rows;
            ofSlot = new int[slots];
        }

        void empty() {
            ofSlot[slots++] = EMPTY;
        }

        void loose() {
            ofSlot[slots++] = LOOSE;
        }

        /** @param at row of the switch matrix */
        void cabled(int at, int cost) {
            if (cost != lastCost) {
                lastCost = cost;
                lastClass = classOf(cost);
            }
            int number = lastClass.length > 0 ? lastClass[at] : sparse.getOrDefault(at << 16 | cost, 0);
            if (number == 0) {
                number = append(at, cost);
                if (lastClass.length > 0) {
                    lastClass[at] = number;
                } else {
                    sparse.put(at << 16 | cost, number);
                }
            }
            ofSlot[slots++] = number;
        }

        private int[] classOf(int cost) {
            if (classOfCost[cost] == 0) {
                boolean fits = (long) (dense.size() + 1) * rows <= DENSE;
                dense.add(new int[fits ? rows : 0]);
                classOfCost[cost] = (char) dense.size();
            }
            return dense.get(classOfCost[cost] - 1);
        }

        private int append(int at, int cost) {
            if (size == row.length) {
                row = Arrays.copyOf(row, 2 * size);
                ownCost = Arrays.copyOf(ownCost, 2 * size);
            }
            row[size] = (char) at;
            ownCost[size] = (char) cost;
            return size++;
        }

        Attachments build() {
            return new Attachments(ofSlot, Arrays.copyOf(row, size), Arrays.copyOf(ownCost, size));
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
