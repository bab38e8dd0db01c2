/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Many changes, one pass: it begins after a short quiet, or when a change has waited long enough, or at a time that was
 * asked for.
 *
 * <p>Objects that are new may wait longer than objects that changed: while a cluster is filled nobody uses yet what comes, and a
 * fabric that is seen whole is computed once.
 */
final class Coalescer {
    private static final long NOTHING = Long.MAX_VALUE;

    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Burst changes = new Burst();
    private final Burst arrivals = new Burst();

    /** @param nanos as {@link System#nanoTime} */
    Coalescer(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** What is waited for of one kind of news. */
    record Wait(Duration quiet, Duration limit) {}

    private static final class Burst {
        private boolean pending;
        private long firstNanos;
        private long lastNanos;

        void add(long now) {
            lastNanos = now;
            if (!pending) {
                pending = true;
                firstNanos = now;
            }
        }

        long remaining(Wait wait, long now) {
            return pending
                    ? Math.min(
                            lastNanos + wait.quiet().toNanos() - now,
                            firstNanos + wait.limit().toNanos() - now)
                    : NOTHING;
        }
    }

    /** Something changed, or went. */
    void changed() {
        add(changes);
    }

    /** Something came. */
    void arrived() {
        add(arrivals);
    }

    private void add(Burst burst) {
        lock.lock();
        try {
            burst.add(nanos.getAsLong());
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when one of both has been quiet for long enough, or has waited for its limit.
     *
     * @param atLatest returns then also without any news; {@code null}: only for news
     * @return whether something arrived
     */
    boolean await(Wait forChanges, Wait forArrivals, @Nullable Duration atLatest) throws InterruptedException {
        lock.lock();
        try {
            long end = atLatest == null ? NOTHING : nanos.getAsLong() + atLatest.toNanos();
            while (true) {
                long wait = remaining(forChanges, forArrivals);
                if (end != NOTHING) {
                    wait = Math.min(wait, end - nanos.getAsLong());
                }
                if (wait <= 0) {
                    boolean arrived = arrivals.pending;
                    changes.pending = false;
                    arrivals.pending = false;
                    return arrived;
                }
                if (wait == NOTHING) {
                    news.await();
                } else {
                    news.awaitNanos(wait);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds until a pass is due; 0 or less: now. */
    long remaining(Wait forChanges, Wait forArrivals) {
        long now = nanos.getAsLong();
        return Math.min(changes.remaining(forChanges, now), arrivals.remaining(forArrivals, now));
    }
}
