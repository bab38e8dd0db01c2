/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WriteFailuresTest {
    private final AtomicLong nanos = new AtomicLong();
    private final WriteFailures failures = new WriteFailures(nanos::get);

    @Test
    void aStepThatHasTakenLongEndsWithItsFirstFailure() {
        failures.begin(Set.of("a", "b"));
        failures.failed("a", new KubernetesClientException("a webhook is away", 500, null));
        assertThat(failures.isEnough()).isFalse();

        failures.begin(Set.of("a", "b"));
        nanos.addAndGet(Duration.ofSeconds(19).toNanos());
        assertThat(failures.isEnough()).as("nothing has failed").isFalse();
        failures.failed("a", new KubernetesClientException("a webhook is away", 500, null));
        assertThat(failures.isEnough()).isTrue();

        failures.begin(Set.of("a", "b"));
        assertThat(failures.isEnough()).isFalse();
        assertThat(failures.hasFailed("a")).isTrue();
    }
}
