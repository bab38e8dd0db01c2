/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How fast one counter rises, over the last {@link #WINDOW} or up to twice as long, or from one look to the next where these are further apart. A first value only sets a base, as
 * does one that is less than before: a counter that was cleared, or has wrapped. One that stands at its end is not known.
 */
final class CounterRate {
    static final Duration WINDOW = Duration.ofSeconds(3);

    private final long end;
    private @Nullable Reading base;
    private @Nullable Reading next;
    private @Nullable Reading last;

    private record Reading(Instant at, long value) {}

    /** @param end value that the counter does not leave until somebody clears it */
    CounterRate(long end) {
        this.end = end;
    }

    /**
     * One more look.
     *
     * @param value {@link PortRates#UNKNOWN} where it was not read
     * @param now by a clock that never goes back
     */
    void look(long value, Instant now) {
        Reading before = last;
        if (value == PortRates.UNKNOWN || value == end) {
            forget();
            return;
        }
        Reading read = new Reading(now, value);
        if (before == null || value < before.value()) {
            base = read;
            next = read;
        } else if (next == null || Duration.between(next.at(), now).compareTo(WINDOW) >= 0) {
            base = next;
            next = read;
        }
        last = read;
    }

    /** What comes until the next look is not known. */
    void forget() {
        base = null;
        next = null;
        last = null;
    }

    /** {@code null} where it is not known. */
    @Nullable
    Double perSecond() {
        Reading from = base;
        Reading to = last;
        if (from == null || to == null) {
            return null;
        }
        long nanos = Duration.between(from.at(), to.at()).toNanos();
        return nanos <= 0 ? null : (to.value() - from.value()) * 1e9 / nanos;
    }
}
