/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.reconcile;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Many changes, one pass: it begins after a short quiet, or when a change has waited long enough. */
final class Coalescer {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private boolean pending;
    private long firstNanos;
    private long lastNanos;

    /** Something changed. */
    void changed() {
        lock.lock();
        try {
            lastNanos = System.nanoTime();
            if (!pending) {
                pending = true;
                firstNanos = lastNanos;
            }
            change.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when changes have been quiet for {@code quiet}, or the oldest has waited for {@code limit}. */
    void await(Duration quiet, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                if (!pending) {
                    change.await();
                    continue;
                }
                long now = System.nanoTime();
                long wait = Math.min(lastNanos + quiet.toNanos() - now, firstNanos + limit.toNanos() - now);
                if (wait <= 0) {
                    pending = false;
                    return;
                }
                change.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }
}
