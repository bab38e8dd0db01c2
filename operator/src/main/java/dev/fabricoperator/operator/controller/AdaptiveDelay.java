/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long news may wait for a pass. A change waits no longer than usual, or so long that passes take a tenth of the time: the
 * API server needs the rest. An arrival waits longer from pass to pass while things keep arriving, up to {@link #LONGEST}:
 * loading tens of thousands of devices takes minutes, and every pass on the way is thrown away by the next.
 */
final class AdaptiveDelay {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration LONGEST_OF_LARGE = Duration.ofSeconds(30);
    private static final int PASSES_OF_A_LOAD = 100;
    private static final int PASSES_OF_A_STORM = 10;
    private static final int QUIETS_OF_A_LIMIT = 10;
    /** Arrivals that are further apart than so many limits are no stream. */
    private static final int LIMITS_APART = 3;

    private final Coalescer.Wait usual;
    private final LongSupplier nanos;
    private Duration lastPass = Duration.ZERO;
    private Duration arrivalLimit;
    private long lastArrivalsNanos;

    /**
     * @param usual for changes, and for arrivals that are not many
     * @param nanos as {@link System#nanoTime}
     */
    AdaptiveDelay(Coalescer.Wait usual, LongSupplier nanos) {
        this.usual = usual;
        this.nanos = nanos;
        this.arrivalLimit = usual.limit();
        this.lastArrivalsNanos =
                nanos.getAsLong() - LONGEST.multipliedBy(LIMITS_APART).toNanos();
    }

    Coalescer.Wait forChanges() {
        return new Coalescer.Wait(usual.quiet(), longer(usual.limit(), tenPasses()));
    }

    /** The quiet is no shorter than a pass: things that come one by one, each after the pass for the one before, are a burst too. */
    Coalescer.Wait forArrivals() {
        Duration limit = longer(arrivalLimit, tenPasses());
        return new Coalescer.Wait(longer(usual.quiet(), longer(lastPass, limit.dividedBy(QUIETS_OF_A_LIMIT))), limit);
    }

    private Duration tenPasses() {
        return shorter(LONGEST, lastPass.multipliedBy(PASSES_OF_A_STORM));
    }

    /** Where a pass takes long, a load takes very long. */
    private Duration longest() {
        return longer(LONGEST, shorter(LONGEST_OF_LARGE, lastPass.multipliedBy(PASSES_OF_A_LOAD)));
    }

    /** A pass for things that arrived begins. */
    void arrived() {
        long now = nanos.getAsLong();
        boolean stream = now - lastArrivalsNanos
                < arrivalLimit.multipliedBy(LIMITS_APART).toNanos();
        arrivalLimit = stream ? shorter(longest(), arrivalLimit.multipliedBy(2)) : usual.limit();
        lastArrivalsNanos = now;
    }

    void passed(Duration took) {
        lastPass = took;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
