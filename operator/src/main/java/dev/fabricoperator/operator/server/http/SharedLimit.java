/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How much may be in use at one time: of everybody together, and of each one. Thread-safe. */
public final class SharedLimit {
    private final long total;
    private final long each;
    private final Map<String, Long> users = new HashMap<>();
    private long used;

    public SharedLimit(long total, long each) {
        this.total = total;
        this.each = each;
    }

    /** Takes that much; {@code false}, and nothing is taken, where less is left. */
    public synchronized boolean tryAcquire(String user, long amount) {
        return amount <= total - used && tryAcquireBeyond(user, amount);
    }

    /** Whether the one may have that much more, were there more left. */
    public synchronized boolean isWithinShare(String user, long amount) {
        return amount <= each - users.getOrDefault(user, 0L);
    }

    /** As {@link #tryAcquire(String, long)} where somebody is about to give back as much: only what the one may have counts. */
    public synchronized boolean tryAcquireBeyond(String user, long amount) {
        if (!isWithinShare(user, amount)) {
            return false;
        }
        used += amount;
        users.merge(user, amount, Long::sum);
        return true;
    }

    /** As {@link #tryAcquire(String, long)}, and waits for so long where less is left. Nobody's turn is kept. */
    public synchronized boolean tryAcquire(String user, long amount, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!tryAcquire(user, amount)) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    public synchronized void release(String user, long amount) {
        used -= amount;
        users.computeIfPresent(user, (name, own) -> own > amount ? own - amount : null);
        notifyAll();
    }

    synchronized long used() {
        return used;
    }
}
