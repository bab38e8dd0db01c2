/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.job.JobLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapLimitsTest {
    /** As {@code Runtime.maxMemory} tells it: less a survivor space of the young generation of 1 MiB. */
    private static HeapLimits ofJob(long ranks) {
        return HeapLimits.of(((long) JobLimits.heapMebibytes(ranks) << 20) - (128 << 10));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 100, 1_000, 4_096, 10_000, 65_536, 130_000})
    void twoKibibytesOfEachRankFitThreeTimesIntoTheHeapOfTheirJob(long ranks) {
        HeapLimits limits = ofJob(ranks);
        assertThat(limits.fenceBytes()).isGreaterThanOrEqualTo(Math.toIntExact(2_048 * ranks));
        assertThat(3L * limits.fenceBytes()).isLessThan((long) JobLimits.heapMebibytes(ranks) << 20);
        assertThat(limits.messageBytes()).isGreaterThan(limits.fenceBytes());
    }

    @Test
    void noJobHowLargeSoeverAsksForMoreThanAGibibyte() {
        assertThat(JobLimits.heapMebibytes(Long.MAX_VALUE)).isEqualTo(1024);
        assertThat(JobLimits.heapMebibytes(1)).isEqualTo(25);
    }
}
