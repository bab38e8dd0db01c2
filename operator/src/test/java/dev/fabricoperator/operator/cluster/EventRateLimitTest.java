/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.HandMovedClock;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventRateLimitTest {
    private final HandMovedClock clock = new HandMovedClock(Instant.EPOCH);
    private final EventRateLimit budget = new EventRateLimit(clock.steady());

    private int spend(String uid, String reason, int times) {
        int given = 0;
        for (int i = 0; i < times; i++) {
            given += budget.spend(uid, reason).isPresent() ? 1 : 0;
        }
        return given;
    }

    @Test
    void aStormGetsItsBurstAndTheNextOneSaysHowManyWereLeftOut() {
        assertThat(spend("a", "FabricChanged", 500)).isEqualTo(EventRateLimit.BURST);
        clock.move(EventRateLimit.INTERVAL);
        assertThat(budget.spend("a", "FabricChanged")).isEqualTo(OptionalInt.of(500 - EventRateLimit.BURST));
        assertThat(budget.spend("a", "FabricChanged")).isEmpty();
    }

    @Test
    void anotherReasonOrObjectHasItsOwn() {
        spend("a", "FabricChanged", 500);
        assertThat(budget.spend("a", "SourceShrank")).isEqualTo(OptionalInt.of(0));
        assertThat(budget.spend("b", "FabricChanged")).isEqualTo(OptionalInt.of(0));
    }

    @Test
    void afterALongQuietTheWholeBurstIsThereAgainAndNoMore() {
        spend("a", "FabricChanged", 500);
        clock.move(EventRateLimit.INTERVAL.multipliedBy(1000));
        assertThat(spend("a", "FabricChanged", 500)).isEqualTo(EventRateLimit.BURST);
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetGivesNoMoreAndTakesNone(long seconds) {
        spend("a", "FabricChanged", 500);
        clock.set(Duration.ofSeconds(seconds));
        assertThat(budget.spend("a", "FabricChanged")).isEmpty();
        clock.move(EventRateLimit.INTERVAL);
        assertThat(spend("a", "FabricChanged", 500)).isEqualTo(1);
    }
}
