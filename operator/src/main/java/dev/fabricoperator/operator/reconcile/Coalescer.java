/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.reconcile;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Many changes, one pass: it begins after a short quiet, or when a change has waited long enough, or at a time that was
 * asked for.
 */
final class Coalescer {
    private static final long NOTHING = Long.MAX_VALUE;

    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private boolean pending;
    private long firstNanos;
    private long lastNanos;

    /** @param nanos as {@link System#nanoTime} */
    Coalescer(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Something changed. */
    void changed() {
        lock.lock();
        try {
            lastNanos = nanos.getAsLong();
            if (!pending) {
                pending = true;
                firstNanos = lastNanos;
            }
            change.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when changes have been quiet for {@code quiet}, or the oldest has waited for {@code limit}.
     *
     * @param atLatest returns then also without any change; {@code null}: only for changes
     */
    void await(Duration quiet, Duration limit, @Nullable Duration atLatest) throws InterruptedException {
        lock.lock();
        try {
            long end = atLatest == null ? NOTHING : nanos.getAsLong() + atLatest.toNanos();
            while (true) {
                long wait = remaining(quiet, limit);
                if (end != NOTHING) {
                    wait = Math.min(wait, end - nanos.getAsLong());
                }
                if (wait <= 0) {
                    pending = false;
                    return;
                }
                if (wait == NOTHING) {
                    change.await();
                } else {
                    change.awaitNanos(wait);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds until a pass is due; 0 or less: now. */
    long remaining(Duration quiet, Duration limit) {
        if (!pending) {
            return NOTHING;
        }
        long now = nanos.getAsLong();
        return Math.min(lastNanos + quiet.toNanos() - now, firstNanos + limit.toNanos() - now);
    }
}
