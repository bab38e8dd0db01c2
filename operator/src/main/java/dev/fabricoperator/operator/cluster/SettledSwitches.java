/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.operator.Settings;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether what stays may be made of what the switches show. Somebody who applies a hundred FabricSwitch objects shows a hundred
 * fabrics on the way. Not thread-safe.
 */
public final class SettledSwitches {
    private final Supplier<Duration> quietFor;
    private final Duration quiet;
    private final Duration limit;
    private final LongSupplier nanos;
    private @Nullable Long since;

    public SettledSwitches(FactStores stores, Settings.Coalescing settings) {
        this(stores::switchesQuietFor, settings.creationQuiet(), settings.creationLimit(), System::nanoTime);
    }

    /** @param limit longest that anything waits */
    SettledSwitches(Supplier<Duration> quietFor, Duration quiet, Duration limit, LongSupplier nanos) {
        this.quietFor = quietFor;
        this.quiet = quiet;
        this.limit = limit;
        this.nanos = nanos;
    }

    /** There is nothing to be made. */
    public void forget() {
        since = null;
    }

    /** Something is to be made. */
    public void await() {
        if (since == null) {
            since = nanos.getAsLong();
        }
    }

    public boolean isAwaited() {
        return since != null;
    }

    /** Until it may be made; zero or less when it may. */
    public Duration left() {
        Long begin = since;
        Duration waited = begin == null ? Duration.ZERO : Duration.ofNanos(nanos.getAsLong() - begin);
        Duration untilQuiet = quiet.minus(quietFor.get());
        Duration untilLimit = limit.minus(waited);
        return untilQuiet.compareTo(untilLimit) <= 0 ? untilQuiet : untilLimit;
    }
}
