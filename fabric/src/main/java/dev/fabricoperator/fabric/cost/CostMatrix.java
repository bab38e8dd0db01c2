/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/**
 * Relative communication cost between every pair of fabric devices.
 *
 * <pre>
 * Shape:  vertices x vertices; row = from, column = to, both by slot. Kept as a matrix of the switches that hold
 *         devices, with each slot's switch and port class; rows of devices are expanded on demand.
 * Unit:   none (relative); unsigned 16 bit. 0 to itself, 65535 unreachable, else 1 to 65534.
 * Errors: IllegalArgumentException for a slot below 0, at or above vertices (PMIX_ERR_BAD_PARAM). An empty slot is a
 *         row and column of 65535.
 * Cost:   one pair O(1); one row O(n) for n vertices; space 2 s^2 + 5 n bytes for s switches that hold devices.
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
    /** Row of the switch matrix that each slot's switch has; -1 for an empty slot or a device without cable. */
    private final int[] edgeOfSlot;
    /** Index into the costs of a device's own cable. */
    private final byte[] classOfSlot;

    private final int[] classCosts;
    private final boolean[] used;
    private final String digest;
    private final int maximum;
    private final boolean saturated;

    CostMatrix(SwitchCosts switches, int[] edgeOfSlot, byte[] classOfSlot, int[] classCosts, boolean[] used) {
        this.switches = switches;
        this.edgeOfSlot = edgeOfSlot;
        this.classOfSlot = classOfSlot;
        this.classCosts = classCosts;
        this.used = used;
        Extremes extremes = Extremes.of(switches, edgeOfSlot, classOfSlot, classCosts);
        maximum = extremes.maximum();
        saturated = extremes.saturated();
        digest = CostDigest.of(switches, edgeOfSlot, classOfSlot, classCosts);
    }

    /** Highest slot in use + 1. */
    public int vertices() {
        return edgeOfSlot.length;
    }

    public int cost(int from, int to) {
        requireVertex(from);
        requireVertex(to);
        int fromEdge = edgeOfSlot[from];
        int toEdge = edgeOfSlot[to];
        if (from == to) {
            return used[from] ? 0 : UNREACHABLE;
        }
        if (fromEdge < 0 || toEdge < 0) {
            return UNREACHABLE;
        }
        return sum(classCosts[classOfSlot[from]], switches.cost(fromEdge, toEdge), classCosts[classOfSlot[to]]);
    }

    /**
     * Writes the row of a slot as unsigned 16 bit values.
     *
     * @throws IllegalArgumentException also if {@code into} is shorter than {@link #vertices()}
     */
    public void row(int from, short[] into) {
        requireVertex(from);
        int n = edgeOfSlot.length;
        if (into.length < n) {
            throw new IllegalArgumentException("a row has " + n + " entries, not " + into.length);
        }
        int fromEdge = edgeOfSlot[from];
        if (fromEdge < 0) {
            java.util.Arrays.fill(into, 0, n, (short) UNREACHABLE);
        } else {
            int own = classCosts[classOfSlot[from]];
            for (int to = 0; to < n; to++) {
                int toEdge = edgeOfSlot[to];
                into[to] = (short)
                        (toEdge < 0
                                ? UNREACHABLE
                                : sum(own, switches.cost(fromEdge, toEdge), classCosts[classOfSlot[to]]));
            }
        }
        if (used[from]) {
            into[from] = 0;
        }
    }

    static int sum(int from, int between, int to) {
        return between == UNREACHABLE ? UNREACHABLE : Math.min(from + between + to, HIGHEST);
    }

    /** SHA-256 in hex over everything that costs follow from; equal digests mean equal matrices. */
    public String digest() {
        return digest;
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

    /** The switch that holds the device in a slot; -1 for an empty slot or a device without cable. */
    public int edgeSwitchOf(int slot) {
        requireVertex(slot);
        return edgeOfSlot[slot];
    }

    /** Cost of the device's own cable; 0 for an empty slot or a device without cable. */
    public int deviceCost(int slot) {
        requireVertex(slot);
        return edgeOfSlot[slot] < 0 ? 0 : classCosts[classOfSlot[slot]];
    }

    /** Bytes that the matrix and its indexes take. */
    public long bytes() {
        return switches.bytes() + 4L * edgeOfSlot.length + classOfSlot.length + used.length;
    }

    private void requireVertex(int slot) {
        if (slot < 0 || slot >= edgeOfSlot.length) {
            throw new IllegalArgumentException("vertex " + slot + " of a matrix of " + edgeOfSlot.length);
        }
    }
}
