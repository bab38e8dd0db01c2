/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * Cost of the cheapest path from up to 64 switches to all others in one pass.
 *
 * <p>Idea: waves at ascending cost. A wave holds for each switch the sources that reach it at that cost; those that had
 * not reached it yet pass on to its neighbours' later waves.
 */
public final class ShortestPaths {
    /** Is told the cost at which a source reaches a switch, once per pair that is connected. */
    public interface Reached {
        void at(int source, int switchIndex, int cost);
    }

    /** Arrivals at one cost, in the order in which they were sent; a switch may be among them several times. */
    private static final class Wave {
        long[] sources = new long[64];
        int[] switches = new int[64];
        int size;

        void add(int at, long bits) {
            if (size == switches.length) {
                sources = Arrays.copyOf(sources, 2 * size);
                switches = Arrays.copyOf(switches, 2 * size);
            }
            switches[size] = at;
            sources[size++] = bits;
        }
    }

    private final Topology topology;
    private final int[] costOfEntry;
    private final long[] reached;
    private final long[] arriving;
    private final int[] touched;
    private final ArrayDeque<Wave> spare = new ArrayDeque<>();

    /** @param costOfEntry cost of each entry of the neighbours; at least 1 */
    public ShortestPaths(Topology topology, int[] costOfEntry) {
        this.topology = topology;
        this.costOfEntry = costOfEntry;
        reached = new long[topology.switches()];
        arriving = new long[topology.switches()];
        touched = new int[topology.switches()];
    }

    /** Paths from {@code count} (at most 64) of {@code sources}, beginning at {@code first}; source i is bit i. */
    public void from(int[] sources, int first, int count, Reached visitor) {
        Arrays.fill(reached, 0);
        TreeMap<Integer, Wave> waves = new TreeMap<>();
        Wave start = wave();
        for (int i = 0; i < count; i++) {
            start.add(sources[first + i], 1L << i);
        }
        waves.put(0, start);
        while (!waves.isEmpty()) {
            int cost = waves.firstKey();
            Wave wave = waves.pollFirstEntry().getValue();
            advance(wave, cost, waves, visitor);
            spare.push(wave);
        }
    }

    private void advance(Wave wave, int cost, TreeMap<Integer, Wave> waves, Reached visitor) {
        int count = merge(wave);
        int lastCost = 0;
        Wave last = null;
        for (int i = 0; i < count; i++) {
            int at = touched[i];
            long arrived = arriving[at];
            arriving[at] = 0;
            reached[at] |= arrived;
            for (long rest = arrived; rest != 0; rest &= rest - 1) {
                visitor.at(Long.numberOfTrailingZeros(rest), at, cost);
            }
            int end = topology.firstNeighbor(at + 1);
            for (int n = topology.firstNeighbor(at); n < end; n++) {
                int neighbor = topology.neighbor(n);
                long news = arrived & ~reached[neighbor];
                if (news != 0) {
                    if (last == null || lastCost != costOfEntry[n]) {
                        lastCost = costOfEntry[n];
                        last = waves.computeIfAbsent(cost + lastCost, c -> wave());
                    }
                    last.add(neighbor, news);
                }
            }
        }
    }

    /** Collects what is new in a wave by switch, empties the wave and returns the number of switches. */
    private int merge(Wave wave) {
        int count = 0;
        for (int i = 0; i < wave.size; i++) {
            int at = wave.switches[i];
            long news = wave.sources[i] & ~reached[at];
            if (news != 0) {
                if (arriving[at] == 0) {
                    touched[count++] = at;
                }
                arriving[at] |= news;
            }
        }
        wave.size = 0;
        return count;
    }

    private Wave wave() {
        Wave wave = spare.poll();
        return wave == null ? new Wave() : wave;
    }
}
