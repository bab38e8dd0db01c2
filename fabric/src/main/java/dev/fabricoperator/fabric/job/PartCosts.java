/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import dev.fabricoperator.fabric.cost.CostMatrix;
import java.util.List;

/**
 * Costs between the parts of a job, each of which has some devices of one fabric.
 *
 * <p>Between two parts counts the cheapest pair of their devices, as a program that knows its peers would choose; 0 for parts
 * on one host, which do not use the fabric; 65535 where one has no device, or none reaches the other. O(devices of one times
 * devices of the other) for a pair.
 */
public final class PartCosts {
    private static final int MOST_IN_TABLE = 512;

    private final CostMatrix matrix;
    private final int[][] slots;
    private final int[] hosts;
    /** Row by row, empty for many parts. */
    private final char[] table;

    /**
     * @param hosts for each part a number that parts on one host share
     * @param slots for each part the slots of its devices, any number
     */
    public PartCosts(CostMatrix matrix, int[] hosts, List<int[]> slots) {
        if (hosts.length != slots.size()) {
            throw new IllegalArgumentException(hosts.length + " hosts of " + slots.size() + " parts");
        }
        this.matrix = matrix;
        this.hosts = hosts.clone();
        this.slots = slots.toArray(int[][]::new);
        this.table = table();
    }

    private PartCosts(PartCosts all, int[] parts) {
        matrix = all.matrix;
        hosts = new int[parts.length];
        slots = new int[parts.length][];
        for (int i = 0; i < parts.length; i++) {
            hosts[i] = all.hosts[parts[i]];
            slots[i] = all.slots[parts[i]];
        }
        table = table();
    }

    /** Of some of the parts, in this order. */
    public PartCosts only(int[] parts) {
        return new PartCosts(this, parts);
    }

    public int parts() {
        return hosts.length;
    }

    public boolean onOneHost(int one, int other) {
        return hosts[one] == hosts[other];
    }

    public int cost(int from, int to) {
        return table.length == 0 ? worked(from, to) : table[from * hosts.length + to];
    }

    private char[] table() {
        char[] all = new char[hosts.length > MOST_IN_TABLE ? 0 : hosts.length * hosts.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = (char) worked(i / hosts.length, i % hosts.length);
        }
        return all;
    }

    private int worked(int from, int to) {
        if (onOneHost(from, to)) {
            return 0;
        }
        int best = CostMatrix.UNREACHABLE;
        for (int one : slots[from]) {
            for (int other : slots[to]) {
                // Two pods may share a device of a host, and then they are on one host.
                best = Math.min(best, matrix.cost(one, other));
            }
        }
        return best;
    }
}
