/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
    /** Of 1,000 pods that fail at the same moment, no tenth of the pause sees more than a quarter come back. */
    @Test
    void podsThatFailTogetherComeBackSpreadOverTheWholePause() {
        int[] tenths = new int[10];
        for (int pod = 0; pod < 1_000; pod++) {
            Backoff backoff = new Backoff(50, 2_000, new Random(pod));
            IntStream.range(0, 10).forEach(each -> backoff.nextMillis());
            tenths[(backoff.nextMillis() - 1) / 200]++;
        }
        assertThat(tenths)
                .satisfies(each -> assertThat(Arrays.stream(each)).allMatch(count -> count > 20 && count < 250));
    }

    @Test
    void pausesGrowToTheLongestAndStartAgainAfterASuccess() {
        Backoff backoff = new Backoff(50, 400, new Random(1));
        int[] limits = {50, 100, 200, 400, 400, 400};
        for (int limit : limits) {
            assertThat(backoff.nextMillis()).isBetween(1, limit);
        }
        backoff.reset();
        assertThat(backoff.nextMillis()).isBetween(1, 50);
    }
}
