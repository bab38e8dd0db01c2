/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.MostFrequent;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How often each value occurs, and the most frequent one. */
final class Frequencies {
    private final Map<Long, Integer> counts = new HashMap<>();
    private int total;
    private @Nullable Long mode;

    void add(long value, int times) {
        total += times;
        counts.merge(value, times, Integer::sum);
        mode = null;
    }

    int total() {
        return total;
    }

    /** The most frequent value, of several the highest; -1 without any. */
    long mode() {
        Long known = mode;
        known = known == null
                ? MostFrequent.of(counts, Comparator.reverseOrder()).orElse(-1L)
                : known;
        mode = known;
        return known;
    }

    /** Share of all occurrences that are the mode's. */
    double modeShare() {
        return total == 0 ? 0 : counts.getOrDefault(mode(), 0) / (double) total;
    }
}
