/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * For how long something has lasted: a minute of it is a minute, also where the clock of the machine is set meanwhile, by NTP or by a person. Time that the machine sleeps does not
 * count.
 *
 * <p>Its instants begin with that of 1970 and are those of one process: they are neither shown nor compared with those of anybody else.
 *
 * @see "clock_gettime(2), CLOCK_MONOTONIC"
 */
public final class SteadyClock implements InstantSource {
    private final LongSupplier nanoTime;
    private final long beginNanos;

    /** @param nanoTime as {@link System#nanoTime} */
    public SteadyClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.beginNanos = nanoTime.getAsLong();
    }

    /** The machine's. */
    public static SteadyClock system() {
        return new SteadyClock(System::nanoTime);
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(nanoTime.getAsLong() - beginNanos);
    }
}
