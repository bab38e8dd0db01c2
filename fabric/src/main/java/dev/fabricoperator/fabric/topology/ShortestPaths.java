/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Cost of the cheapest path from up to 64 switches to all others in one pass.
 *
 * <p>Idea: waves at ascending cost. A wave holds for each switch the sources that reach it at that cost; those that had
 * not reached it yet pass on to its neighbours' later waves.
 */
public final class ShortestPaths {
    /** A link of this cost carries nothing. */
    public static final int CLOSED = 65_535;

    /** Paths that cost more count as this, far above what any matrix can hold, so that no sum overflows. */
    private static final int HIGHEST = 1 << 30;

    /** Waves that hold a word for each switch; of more at one time, as odd mixes of speeds make, the others are lists. */
    private static final int MOST_DENSE = 256;

    /** Is told the cost at which a source reaches a switch, once per pair that is connected. */
    public interface Reached {
        void at(int source, int switchIndex, int cost);
    }

    /** Is told which sources reach a switch at a cost, a bit each. */
    public interface Arrivals {
        void at(long sources, int switchIndex, int cost);
    }

    /** Arrivals at one cost. */
    private static final class Wave {
        /** Per switch; {@code null} for a wave that lists arrivals, with a switch possibly among them several times. */
        final long @Nullable [] bySwitch;

        int[] switches = new int[64];
        long[] sources = new long[0];
        int size;

        Wave(int dense) {
            bySwitch = dense > 0 ? new long[dense] : null;
        }

        void add(int at, long bits) {
            if (bySwitch != null) {
                long before = bySwitch[at];
                bySwitch[at] = before | bits;
                if (before != 0) {
                    return;
                }
            }
            if (size == switches.length) {
                switches = Arrays.copyOf(switches, 2 * size);
            }
            if (bySwitch == null) {
                if (size >= sources.length) {
                    sources = Arrays.copyOf(sources, switches.length);
                }
                sources[size] = bits;
            }
            switches[size++] = at;
        }

        /** Of the i-th arrival; what a dense wave holds for its switch is gone then. */
        long take(int i) {
            if (bySwitch == null) {
                return sources[i];
            }
            long bits = bySwitch[switches[i]];
            bySwitch[switches[i]] = 0;
            return bits;
        }
    }

    private final Topology topology;
    private final int[] costOfEntry;
    private final long[] reached;
    private final long[] arriving;
    private final int[] touched;
    private final ArrayDeque<Wave> spare = new ArrayDeque<>();
    private int made;

    /** @param costOfEntry cost of each entry of the neighbours: 1 to 65534, or {@link #CLOSED} */
    public ShortestPaths(Topology topology, int[] costOfEntry) {
        this.topology = topology;
        this.costOfEntry = costOfEntry;
        reached = new long[topology.switches()];
        arriving = new long[topology.switches()];
        touched = new int[topology.switches()];
    }

    /** Paths from {@code count} (at most 64) of {@code sources}, beginning at {@code first}; source i is bit i. */
    public void from(int[] sources, int first, int count, Reached visitor) {
        wavesFrom(sources, first, count, (bits, at, cost) -> {
            for (long rest = bits; rest != 0; rest &= rest - 1) {
                visitor.at(Long.numberOfTrailingZeros(rest), at, cost);
            }
        });
    }

    /** As {@link #from}, for a visitor that takes many sources at once. */
    public void wavesFrom(int[] sources, int first, int count, Arrivals visitor) {
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

    private void advance(Wave wave, int cost, TreeMap<Integer, Wave> waves, Arrivals visitor) {
        int count = merge(wave);
        int lastCost = 0;
        Wave last = null;
        for (int i = 0; i < count; i++) {
            int at = touched[i];
            long arrived = arriving[at];
            arriving[at] = 0;
            reached[at] |= arrived;
            visitor.at(arrived, at, cost);
            int end = topology.firstNeighbor(at + 1);
            for (int n = topology.firstNeighbor(at); n < end; n++) {
                int neighbor = topology.neighbor(n);
                long news = arrived & ~reached[neighbor];
                if (news != 0 && costOfEntry[n] != CLOSED) {
                    if (last == null || lastCost != costOfEntry[n]) {
                        lastCost = costOfEntry[n];
                        last = waves.computeIfAbsent(Math.min(cost + lastCost, HIGHEST), c -> wave());
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
            long news = wave.take(i) & ~reached[at];
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
        return wave == null ? new Wave(made++ < MOST_DENSE ? reached.length : 0) : wave;
    }
}
