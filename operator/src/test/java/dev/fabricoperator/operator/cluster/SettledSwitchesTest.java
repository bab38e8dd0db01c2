/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettledSwitchesTest {
    private long nanos;
    private Duration quiet = Duration.ZERO;
    private final SettledSwitches settled =
            new SettledSwitches(() -> quiet, Duration.ofSeconds(2), Duration.ofSeconds(30), () -> nanos);

    private void advance(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void whatStaysIsMadeWhenNoSwitchHasChangedForAWhile() {
        settled.await();
        assertThat(settled.left()).isEqualTo(Duration.ofSeconds(2));
        quiet = Duration.ofSeconds(2);
        assertThat(settled.left()).isZero();
    }

    @Test
    void switchesThatNeverRestKeepNothingWaitingForEver() {
        settled.await();
        advance(29);
        settled.await();
        assertThat(settled.left()).isEqualTo(Duration.ofSeconds(1));
        advance(1);
        assertThat(settled.left()).isZero();
        settled.forget();
        assertThat(settled.isAwaited()).isFalse();
        settled.await();
        assertThat(settled.left()).isEqualTo(Duration.ofSeconds(2));
    }
}
