/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** The most frequent of some values, so that a tie is decided the same way wherever they are counted. */
public final class MostFrequent {
    private MostFrequent() {}

    /**
     * @param counts how often each occurs; more than never
     * @param ties of several that are as frequent, the first in this order is it
     */
    public static <T> Optional<T> of(Map<T, Integer> counts, Comparator<? super T> ties) {
        return counts.entrySet().stream()
                .min(Map.Entry.<T, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey(ties)))
                .map(Map.Entry::getKey);
    }
}
