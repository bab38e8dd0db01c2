/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.crds.SteadyClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands until it is moved, and a steady one beside it. */
public final class HandMovedClock extends Clock {
    private Instant now;
    private long nanos;
    private final SteadyClock steady = new SteadyClock(() -> nanos);

    public HandMovedClock(Instant start) {
        now = start;
    }

    /** Time passes. */
    public void move(Duration by) {
        now = now.plus(by);
        nanos += by.toNanos();
    }

    /** The clock is set, as NTP and people do; no time passes. */
    public void set(Duration by) {
        now = now.plus(by);
    }

    /** Shows the time that has passed, whatever the clock was set to. */
    public SteadyClock steady() {
        return steady;
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
