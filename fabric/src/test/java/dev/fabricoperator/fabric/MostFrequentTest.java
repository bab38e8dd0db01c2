/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MostFrequentTest {
    @Test
    void ofSeveralAsFrequentOnesTheFirstInTheOrderIsTheMostFrequent() {
        Map<String, Integer> counts = Map.of("a", 1, "b", 3, "c", 3, "d", 2);
        assertThat(MostFrequent.of(counts, Comparator.naturalOrder())).contains("b");
        assertThat(MostFrequent.of(counts, Comparator.reverseOrder())).contains("c");
    }

    @Test
    void nothingIsMostFrequentOfNothing() {
        assertThat(MostFrequent.of(Map.<String, Integer>of(), Comparator.naturalOrder()))
                .isEmpty();
    }
}
