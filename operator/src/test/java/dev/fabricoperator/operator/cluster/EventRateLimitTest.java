/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class EventRateLimitTest {
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
    private final EventRateLimit budget = new EventRateLimit(clock);

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
        now = now.plus(EventRateLimit.INTERVAL);
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
        now = now.plus(EventRateLimit.INTERVAL.multipliedBy(1000));
        assertThat(spend("a", "FabricChanged", 500)).isEqualTo(EventRateLimit.BURST);
    }
}
