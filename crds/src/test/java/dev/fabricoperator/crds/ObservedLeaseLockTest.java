/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObservedLeaseLockTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private long nanos;
    private final ObservedLeaseLock lock = new ObservedLeaseLock("default", "lease", "follower", () -> nanos);

    private static Lease lease(ZonedDateTime renewed) {
        return new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity("holder")
                .withLeaseDurationSeconds(15)
                .withAcquireTime(renewed)
                .withRenewTime(renewed)
                .withLeaseTransitions(3)
                .endSpec()
                .build();
    }

    /** What the elector takes for the time since it was renewed, in whole hours. */
    private long hoursSinceRenewed(Lease lease) {
        return Duration.between(lock.toRecord(lease).getRenewTime(), ZonedDateTime.now(ZoneOffset.UTC))
                .plusMinutes(1)
                .toHours();
    }

    /** Negative: the holder's clock is behind. */
    @ParameterizedTest
    @ValueSource(longs = {-60, 0, 90})
    void aLeaseIsAsOldAsTheLastChangeThatWasSeenOfIt(long secondsAhead) {
        ZonedDateTime holders = ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(secondsAhead);
        assertThat(hoursSinceRenewed(lease(holders))).isZero();
        nanos += HOUR.toNanos();
        assertThat(hoursSinceRenewed(lease(holders))).isEqualTo(1);
        nanos += HOUR.toNanos();
        assertThat(hoursSinceRenewed(lease(holders))).isEqualTo(2);
        assertThat(hoursSinceRenewed(lease(holders.plusSeconds(1)))).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-60, 0, 90})
    void whatTheHolderHasWrittenStays(long secondsAhead) {
        ZonedDateTime acquired = ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(secondsAhead);
        assertThat(lock.toRecord(lease(acquired))).satisfies(record -> {
            assertThat(record.getHolderIdentity()).isEqualTo("holder");
            assertThat(record.getAcquireTime()).isEqualTo(acquired);
            assertThat(record.getLeaseDuration()).isEqualTo(Duration.ofSeconds(15));
            assertThat(record.getLeaderTransitions()).isEqualTo(3);
        });
    }
}
