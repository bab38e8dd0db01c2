/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.cluster.Failures;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes that failed for a reason that passes. One that fails step after step, say since the webhook that is asked about it is
 * away, must keep no other from being made: what failed last time goes last, and a step ends after some failures only, or after one that took long. Thread-safe.
 */
public final class WriteFailures {
    private static final int MOST_OF_A_STEP = 8;
    private static final int TOO_MANY_REQUESTS = 429;
    /** The client asks ten times within 19 s before it says that the API server has failed. A newer model must not wait for many of these. */
    private static final Duration LONG = Duration.ofSeconds(15);

    /** By object. */
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    private final AtomicInteger ofStep = new AtomicInteger();
    private final LongSupplier nanos;
    private volatile long begun;
    private volatile boolean isServerAway;
    private volatile @Nullable KubernetesClientException last;

    /** @param steps in a row */
    private record Failure(int steps, String message) {}

    public WriteFailures() {
        this(System::nanoTime);
    }

    WriteFailures(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @param wanted all objects that there should be */
    public void begin(Set<String> wanted) {
        failures.keySet().retainAll(wanted);
        ofStep.set(0);
        begun = nanos.getAsLong();
        isServerAway = false;
        last = null;
    }

    /** Whether this step is to write no more. */
    public boolean isEnough() {
        int failed = ofStep.get();
        return isServerAway || failed >= MOST_OF_A_STEP || failed > 0 && nanos.getAsLong() - begun >= LONG.toNanos();
    }

    /** Whether the last write of an object failed. */
    public boolean hasFailed(String object) {
        return failures.containsKey(object);
    }

    public void failed(String object, KubernetesClientException e) {
        failures.merge(
                object,
                new Failure(1, object + ": " + e.getMessage()),
                (before, now) -> new Failure(before.steps() + 1, now.message()));
        ofStep.incrementAndGet();
        if (Failures.isUnanswered(e) || e.getCode() == TOO_MANY_REQUESTS) {
            isServerAway = true;
        }
        last = e;
    }

    public void passed(String object) {
        failures.remove(object);
    }

    /** What a person is told of an object; {@code null} unless it failed more than once in a row. */
    public @Nullable String message(String object) {
        Failure failure = failures.get(object);
        return failure == null || failure.steps() == 1 ? null : failure.message();
    }

    /** Lets the step fail, so that it is made again soon, if any write of it did. */
    public void end() {
        KubernetesClientException failure = last;
        if (failure != null) {
            throw failure;
        }
    }
}
