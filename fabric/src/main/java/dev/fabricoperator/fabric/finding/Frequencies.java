/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import java.util.HashMap;
import java.util.Map;

/** How often each value occurs, and the most frequent one. */
final class Frequencies {
    private final Map<Long, Integer> counts = new HashMap<>();
    private int total;
    private long mode = -1;
    private int most;

    void add(long value, int times) {
        total += times;
        int count = counts.merge(value, times, Integer::sum);
        if (count > most || count == most && value > mode) {
            mode = value;
            most = count;
        }
    }

    int total() {
        return total;
    }

    /** The most frequent value, of several the highest; -1 without any. */
    long mode() {
        return mode;
    }

    /** Share of all occurrences that are the mode's. */
    double modeShare() {
        return total == 0 ? 0 : (double) most / total;
    }
}
