/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.Arrays;

/** Cables between switches while they are collected, then as compressed sparse rows. */
final class LinkList {
    private int[] from = new int[256];
    private int[] to = new int[256];
    private int[] fromPort = new int[256];
    private int[] toPort = new int[256];
    private long[] speed = new long[256];
    private int size;

    /**
     * Neighbours of switch s: entries {@code offsets[s]} to {@code offsets[s + 1]} exclusive, ascending. Cables of entry
     * i: {@code cableOffsets[i]} to {@code cableOffsets[i + 1]} exclusive, each with its ports and speed.
     */
    record Rows(
            int[] offsets,
            int[] neighbors,
            long[] speeds,
            int[] cableOffsets,
            int[] cablePorts,
            int[] cableFarPorts,
            long[] cableSpeeds) {}

    void add(int one, int onePort, int other, int otherPort, long bits) {
        if (size == from.length) {
            from = Arrays.copyOf(from, size * 2);
            to = Arrays.copyOf(to, size * 2);
            fromPort = Arrays.copyOf(fromPort, size * 2);
            toPort = Arrays.copyOf(toPort, size * 2);
            speed = Arrays.copyOf(speed, size * 2);
        }
        from[size] = one;
        to[size] = other;
        fromPort[size] = onePort;
        toPort[size] = otherPort;
        speed[size++] = bits;
    }

    Rows rows(int switches) {
        int[] begin = new int[switches + 1];
        for (int i = 0; i < size; i++) {
            begin[from[i] + 1]++;
            begin[to[i] + 1]++;
        }
        for (int s = 0; s < switches; s++) {
            begin[s + 1] += begin[s];
        }
        // One long per direction: the far switch above, the number of the cable below, so that sorting groups them.
        long[] far = new long[2 * size];
        int[] next = Arrays.copyOf(begin, switches);
        for (int i = 0; i < size; i++) {
            far[next[from[i]]++] = (long) to[i] << 32 | i;
            far[next[to[i]]++] = (long) from[i] << 32 | i;
        }
        int[] offsets = new int[switches + 1];
        int[] neighbors = new int[2 * size];
        long[] speeds = new long[2 * size];
        int[] cableOffsets = new int[2 * size + 1];
        int[] cablePorts = new int[2 * size];
        int[] cableFarPorts = new int[2 * size];
        long[] cableSpeeds = new long[2 * size];
        int at = 0;
        for (int s = 0; s < switches; s++) {
            Arrays.sort(far, begin[s], begin[s + 1]);
            int first = at;
            for (int i = begin[s]; i < begin[s + 1]; i++) {
                int neighbor = (int) (far[i] >>> 32);
                if (at == first || neighbors[at - 1] != neighbor) {
                    neighbors[at++] = neighbor;
                }
                int link = (int) far[i];
                boolean forward = from[link] == s;
                cablePorts[i] = forward ? fromPort[link] : toPort[link];
                cableFarPorts[i] = forward ? toPort[link] : fromPort[link];
                cableSpeeds[i] = speed[link];
                speeds[at - 1] = Math.max(speeds[at - 1], speed[link]);
                cableOffsets[at] = i + 1;
            }
            offsets[s + 1] = at;
        }
        return new Rows(
                offsets,
                Arrays.copyOf(neighbors, at),
                Arrays.copyOf(speeds, at),
                Arrays.copyOf(cableOffsets, at + 1),
                cablePorts,
                cableFarPorts,
                cableSpeeds);
    }
}
