/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ThreadsOfIdleProcessorsTest {
    @ParameterizedTest
    @CsvSource({"0, 4", "0.4, 4", "0.9, 3", "1.0, 3", "1.9, 2", "17, 2"})
    void aProcessorThatOthersUseTakesAThread(double processorsInUse, int threads) {
        assertThat(ThreadsOfIdleProcessors.threads(processorsInUse)).isEqualTo(threads);
    }
}
