/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AdaptiveDelayTest {
    private static final Coalescer.Wait USUAL = new Coalescer.Wait(Duration.ofMillis(100), Duration.ofMillis(500));

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final AdaptiveDelay delay = new AdaptiveDelay(USUAL, nanos::get);

    private void arrivalsAfter(Duration rest) {
        nanos.addAndGet(rest.toNanos());
        delay.arrived();
    }

    @Test
    void arrivalsWaitLongerFromPassToPassWhileMoreArrive() {
        assertThat(delay.forArrivals()).isEqualTo(USUAL);
        arrivalsAfter(Duration.ofHours(1));
        assertThat(delay.forArrivals()).isEqualTo(USUAL);
        arrivalsAfter(Duration.ofSeconds(1));
        assertThat(delay.forArrivals()).isEqualTo(new Coalescer.Wait(Duration.ofMillis(100), Duration.ofSeconds(1)));
        for (int pass = 0; pass < 10; pass++) {
            arrivalsAfter(Duration.ofSeconds(1));
        }
        assertThat(delay.forArrivals()).isEqualTo(new Coalescer.Wait(Duration.ofSeconds(1), Duration.ofSeconds(10)));
        arrivalsAfter(Duration.ofSeconds(30));
        assertThat(delay.forArrivals()).isEqualTo(USUAL);
    }

    @Test
    void changesDoNotWaitForArrivals() {
        for (int pass = 0; pass < 10; pass++) {
            arrivalsAfter(Duration.ZERO);
        }
        assertThat(delay.forChanges()).isEqualTo(USUAL);
    }

    @Test
    void passesTakeNoMoreThanATenthOfAStormsTime() {
        delay.passed(Duration.ofMillis(300));
        assertThat(delay.forChanges().limit()).isEqualTo(Duration.ofSeconds(3));
        assertThat(delay.forArrivals()).isEqualTo(new Coalescer.Wait(Duration.ofMillis(300), Duration.ofSeconds(3)));
        delay.passed(Duration.ofSeconds(30));
        assertThat(delay.forChanges().limit()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void arrivalsInAFabricOfManyDevicesWaitLongest() {
        delay.passed(Duration.ofMillis(500));
        for (int pass = 0; pass < 10; pass++) {
            arrivalsAfter(Duration.ZERO);
        }
        assertThat(delay.forArrivals()).isEqualTo(new Coalescer.Wait(Duration.ofSeconds(3), Duration.ofSeconds(30)));
    }
}
