/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CoalescerTest {
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration LIMIT = Duration.ofMillis(500);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final Coalescer coalescer = new Coalescer(nanos::get);

    private void move(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private long remainingMillis() {
        return Duration.ofNanos(coalescer.remaining(QUIET, LIMIT)).toMillis();
    }

    @Test
    void oneChangeWaitsForTheQuietTimeOnly() {
        coalescer.changed();
        assertThat(remainingMillis()).isEqualTo(100);
        move(100);
        assertThat(remainingMillis()).isZero();
    }

    @Test
    void aStormOfAThousandChangesMakesAPassEachLimit() throws InterruptedException {
        int passes = 0;
        for (int change = 0; change < 1_000; change++) {
            coalescer.changed();
            move(2);
            if (coalescer.remaining(QUIET, LIMIT) <= 0) {
                coalescer.await(QUIET, LIMIT, null);
                passes++;
            }
        }
        assertThat(passes).isEqualTo(4);
    }

    @Test
    void withoutAnyChangeItReturnsWhenItWasAskedTo() throws InterruptedException {
        coalescer.await(QUIET, LIMIT, Duration.ofMillis(-1));
        assertThat(coalescer.remaining(QUIET, LIMIT)).isEqualTo(Long.MAX_VALUE);
    }
}
