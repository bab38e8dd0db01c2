/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Relative communication cost between every pair of fabric devices.
 *
 * <pre>
 * Shape:  vertices x vertices; row = from, column = to, both by slot. Kept as a matrix of the switches that hold
 *         devices, with each slot's switch and cost of its own cable; rows of devices are expanded on demand.
 * Unit:   none (relative); unsigned 16 bit. 0 to itself, 65535 unreachable, else 1 to 65534.
 * Errors: IllegalArgumentException for a slot below 0, at or above vertices (PMIX_ERR_BAD_PARAM). An empty slot is a
 *         row and column of 65535.
 * Cost:   one pair O(1); one row O(n) for n vertices; space 2 s^2 + 4 n bytes for s switches that hold devices.
 * Source: PMIx Standard, Fabric Support, PMIX_FABRIC_COST_MATRIX; docs/cost-model.md for the model.
 * </pre>
 *
 * <p>Immutable.
 */
public final class CostMatrix {
    public static final int UNREACHABLE = 65_535;

    /** Highest finite cost. */
    public static final int HIGHEST = UNREACHABLE - 1;

    private final SwitchCosts switches;
    private final Attachments attachments;
    /** Two threads that find it missing at once make the same. */
    private volatile @Nullable String digest;

    private final int maximum;
    private final boolean saturated;

    CostMatrix(SwitchCosts switches, Attachments attachments) {
        this.switches = switches;
        this.attachments = attachments;
        Extremes extremes = Extremes.of(switches, attachments);
        maximum = extremes.maximum();
        saturated = extremes.saturated();
    }

    /** Highest slot in use + 1. */
    public int vertices() {
        return attachments.slots();
    }

    public int cost(int from, int to) {
        requireVertex(from);
        requireVertex(to);
        int one = attachments.of(from);
        int other = attachments.of(to);
        if (from == to) {
            return one == Attachments.EMPTY ? UNREACHABLE : 0;
        }
        return between(one, other);
    }

    /** Where a slot hangs. */
    int attachmentOf(int slot) {
        requireVertex(slot);
        return attachments.of(slot);
    }

    /** Between devices of two attachments that are not one and the same device. */
    int between(int one, int other) {
        if (!Attachments.isCabled(one) || !Attachments.isCabled(other)) {
            return UNREACHABLE;
        }
        int hops = switches.cost(attachments.row(one), attachments.row(other));
        return sum(attachments.ownCost(one), hops, attachments.ownCost(other));
    }

    /**
     * Writes the row of a slot as unsigned 16 bit values.
     *
     * @throws IllegalArgumentException also if {@code into} is shorter than {@link #vertices()}
     */
    public void row(int from, short[] into) {
        requireVertex(from);
        requireRoom(into, vertices());
        attachments.expand(costsFrom(from), into, 0);
        putSelf(from, into, from);
    }

    /**
     * Writes the rows of some slots, each cut to some columns, one behind the other as unsigned 16 bit values.
     *
     * @param from slots, in any order, also several times
     * @param to as {@code from}
     * @throws IllegalArgumentException also if {@code into} is shorter than rows times columns
     */
    public void block(int[] from, int[] to, short[] into) {
        for (int slot : from) {
            requireVertex(slot);
        }
        int[] columns = new int[to.length];
        for (int i = 0; i < to.length; i++) {
            requireVertex(to[i]);
            columns[i] = attachments.of(to[i]);
        }
        requireRoom(into, (long) from.length * to.length);
        boolean few = to.length < attachments.size() / 4;
        int at = 0;
        for (int slot : from) {
            int row = attachments.of(slot);
            char[] costs = few ? new char[0] : costsFrom(slot);
            for (int i = 0; i < columns.length; i++) {
                int cost = few ? between(row, columns[i]) : costs[columns[i]];
                into[at++] = (short) (slot == to[i] && row != Attachments.EMPTY ? 0 : cost);
            }
        }
    }

    /** Costs from a slot to each attachment. */
    char[] costsFrom(int slot) {
        char[] costs = new char[attachments.size()];
        int from = attachments.of(slot);
        if (Attachments.isCabled(from)) {
            attachments.costsFrom(from, switches, costs);
        } else {
            Arrays.fill(costs, (char) UNREACHABLE);
        }
        return costs;
    }

    private void putSelf(int slot, short[] into, int at) {
        if (attachments.of(slot) != Attachments.EMPTY) {
            into[at] = 0;
        }
    }

    static int sum(int from, int between, int to) {
        return between == UNREACHABLE ? UNREACHABLE : Math.min(from + between + to, HIGHEST);
    }

    SwitchCosts switches() {
        return switches;
    }

    Attachments attachments() {
        return attachments;
    }

    /**
     * SHA-256 in hex over everything that costs follow from; equal digests mean equal matrices. Made when it is asked for
     * the first time: who looks at a dump hardly ever asks.
     */
    public String digest() {
        String known = digest;
        if (known == null) {
            known = CostDigest.of(switches, attachments);
            digest = known;
        }
        return known;
    }

    /** Whether the cost of every pair is the same in both directions. */
    public boolean symmetric() {
        return switches.symmetric();
    }

    /** Highest finite cost between two devices; 0 with fewer than two that reach each other. */
    public int maximum() {
        return maximum;
    }

    /** Whether some pair costs more than 65534 can say, and was cut to that. */
    public boolean saturated() {
        return saturated;
    }

    /** Switches that hold devices; numbered ascending by id. */
    public int edgeSwitches() {
        return switches.size();
    }

    public String edgeSwitchId(int edge) {
        return switches.id(edge);
    }

    /** Cost between two switches that hold devices, without the devices' own cables. */
    public int edgeCost(int from, int to) {
        return switches.cost(from, to);
    }

    /** The switch that holds the device in a slot; -1 for an empty slot or a device that no way leads to. */
    public int edgeSwitchOf(int slot) {
        requireVertex(slot);
        int at = attachments.of(slot);
        return Attachments.isCabled(at) ? attachments.row(at) : -1;
    }

    /** Cost of the device's own cable; 0 for an empty slot or a device that no way leads to. */
    public int deviceCost(int slot) {
        requireVertex(slot);
        int at = attachments.of(slot);
        return Attachments.isCabled(at) ? attachments.ownCost(at) : 0;
    }

    /** Bytes that the matrix and its indexes take; ids of switches are the topology's. */
    public long bytes() {
        return switches.bytes() + attachments.bytes();
    }

    private void requireVertex(int slot) {
        if (slot < 0 || slot >= attachments.slots()) {
            throw new IllegalArgumentException("vertex " + slot + " of a matrix of " + attachments.slots());
        }
    }

    static void requireRoom(short[] into, long entries) {
        if (into.length < entries) {
            throw new IllegalArgumentException(entries + " entries do not fit " + into.length);
        }
    }
}
