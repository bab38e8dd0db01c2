/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/** A topology and what is known about it, with the words that findings share. */
record Wiring(Topology topology, Classification classification) {
    /** Share of the peers from which on what they have in common is a pattern. */
    static final double PATTERN = 0.75;

    int level(int at) {
        return classification.levelOfSwitch()[at];
    }

    String port(int at, int number) {
        return topology.switchId(at) + " port " + number;
    }

    /** The first switch's side of each cable between two switches, and one side only. */
    boolean first(int at, int neighbor) {
        return at < neighbor;
    }

    /** How often each number occurs; there are few different ones. */
    static final class Votes {
        private long[] values = new long[4];
        private int[] counts = new int[4];
        private int size;
        private int total;

        void add(long value, int times) {
            total += times;
            for (int i = 0; i < size; i++) {
                if (values[i] == value) {
                    counts[i] += times;
                    return;
                }
            }
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
                counts = Arrays.copyOf(counts, 2 * size);
            }
            values[size] = value;
            counts[size++] = times;
        }

        int total() {
            return total;
        }

        /** The most frequent number, of several the highest; -1 without any. */
        long winner() {
            return size == 0 ? -1 : values[best()];
        }

        /** Share of all that are the winner. */
        double share() {
            return total == 0 ? 0 : (double) counts[best()] / total;
        }

        private int best() {
            int best = 0;
            for (int i = 1; i < size; i++) {
                if (counts[i] > counts[best] || counts[i] == counts[best] && values[i] > values[best]) {
                    best = i;
                }
            }
            return best;
        }
    }
}
