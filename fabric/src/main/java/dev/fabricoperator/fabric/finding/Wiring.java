/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.HashMap;
import java.util.Map;

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

    /** How often each number occurs. */
    static final class Votes {
        private final Map<Long, Integer> counts = new HashMap<>();
        private int total;
        private long winner = -1;
        private int most;

        void add(long value, int times) {
            total += times;
            int count = counts.merge(value, times, Integer::sum);
            if (count > most || count == most && value > winner) {
                winner = value;
                most = count;
            }
        }

        int total() {
            return total;
        }

        /** The most frequent number, of several the highest; -1 without any. */
        long winner() {
            return winner;
        }

        /** Share of all that are the winner. */
        double share() {
            return total == 0 ? 0 : (double) most / total;
        }
    }
}
