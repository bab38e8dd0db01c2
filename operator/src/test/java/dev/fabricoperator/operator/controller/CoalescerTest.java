/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CoalescerTest {
    private static final Coalescer.Wait CHANGES = new Coalescer.Wait(Duration.ofMillis(100), Duration.ofMillis(500));
    private static final Coalescer.Wait ARRIVALS = new Coalescer.Wait(Duration.ofMillis(200), Duration.ofSeconds(2));

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final Coalescer coalescer = new Coalescer(nanos::get);

    private void move(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private long remainingMillis() {
        return Duration.ofNanos(coalescer.remaining(CHANGES, ARRIVALS)).toMillis();
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
            if (coalescer.remaining(CHANGES, ARRIVALS) <= 0) {
                coalescer.await(CHANGES, ARRIVALS, null);
                passes++;
            }
        }
        assertThat(passes).isEqualTo(4);
    }

    @Test
    void withoutAnyChangeItReturnsWhenItWasAskedTo() throws InterruptedException {
        coalescer.await(CHANGES, ARRIVALS, Duration.ofMillis(-1));
        assertThat(coalescer.remaining(CHANGES, ARRIVALS)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatArrivesMayWaitLongerThanWhatChanges() throws InterruptedException {
        coalescer.arrived();
        assertThat(remainingMillis()).isEqualTo(200);
        coalescer.changed();
        assertThat(remainingMillis()).isEqualTo(100);
        move(100);
        assertThat(coalescer.await(CHANGES, ARRIVALS, null)).isTrue();
        assertThat(coalescer.remaining(CHANGES, ARRIVALS))
                .as("one pass for both")
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void itTellsWhetherSomethingArrived() throws InterruptedException {
        coalescer.arrived();
        move(200);
        assertThat(coalescer.await(CHANGES, ARRIVALS, null)).isTrue();
        coalescer.changed();
        move(100);
        assertThat(coalescer.await(CHANGES, ARRIVALS, null)).isFalse();
    }
}
