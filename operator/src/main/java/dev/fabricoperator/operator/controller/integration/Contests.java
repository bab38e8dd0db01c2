/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What somebody else changes again and again: it is put right at once a few times, and then less and less often. Two who undo
 * each other's writes as fast as they can would keep the API server, and all who watch, busy without end. Thread-safe.
 */
final class Contests {
    private static final int CORRECTED_AT_ONCE = 2;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 20;

    private final Duration longestPause;
    private final Map<String, Correction> corrections = new ConcurrentHashMap<>();

    /** @param times that the same was written, each soon after the one before */
    private record Correction(@Nullable Object wanted, long nanos, int times) {}

    Contests(Duration longestPause) {
        this.longestPause = longestPause;
    }

    /** How long an object is to be left as it is; zero or less where nobody contests it. @param wanted all that it should be */
    Duration left(String object, @Nullable Object wanted) {
        Correction before = corrections.get(object);
        if (before == null || before.times() < CORRECTED_AT_ONCE || !Objects.equals(before.wanted(), wanted)) {
            return Duration.ZERO;
        }
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(before.times() - CORRECTED_AT_ONCE, MOST_DOUBLINGS));
        return (pause.compareTo(longestPause) < 0 ? pause : longestPause)
                .minusNanos(System.nanoTime() - before.nanos());
    }

    /** An object was made what it should be. */
    void corrected(String object, @Nullable Object wanted) {
        corrections.compute(
                object,
                (name, before) -> new Correction(
                        wanted,
                        System.nanoTime(),
                        before != null && Objects.equals(before.wanted(), wanted) ? before.times() + 1 : 1));
    }

    /** Who has left an object alone for long has given up. @param wanted all objects that there should be: another that goes and comes is none of theirs */
    void begin(Set<String> wanted) {
        corrections.keySet().retainAll(wanted);
        corrections.values().removeIf(one -> System.nanoTime() - one.nanos() > 2 * longestPause.toNanos());
    }

    void clear() {
        corrections.clear();
    }
}
