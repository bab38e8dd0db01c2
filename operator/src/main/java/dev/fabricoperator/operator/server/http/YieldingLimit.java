/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many requests are in work at one time, of everybody together and of each user. Where none is left, the one whose client has kept its
 * answer waiting longest gives way: else a few users, each with its share, keep all others out by taking nothing. Thread-safe.
 */
public final class YieldingLimit {
    private final SharedLimit limit;
    private final Set<Exchange> holders = ConcurrentHashMap.newKeySet();

    public YieldingLimit(int total, int each) {
        this.limit = new SharedLimit(total, each);
    }

    /** Whether the request may go on; then {@link #release} it. O(requests in work) where none is left. */
    public boolean tryAcquire(Exchange by, String user) {
        if (limit.tryAcquire(user, 1)) {
            holders.add(by);
            return true;
        }
        if (!limit.isWithinShare(user, 1)) {
            return false;
        }
        Exchange slowest = slowest();
        if (slowest == null || !limit.tryAcquireBeyond(user, 1)) {
            return false;
        }
        // Whoever removes it has its place; it gives back what it holds when its thread has noticed.
        if (!holders.remove(slowest)) {
            limit.release(user, 1);
            return false;
        }
        holders.add(by);
        slowest.giveWay();
        return true;
    }

    private @Nullable Exchange slowest() {
        long now = System.nanoTime();
        Exchange slowest = null;
        long longest = Listener.GRACE.toNanos();
        for (Exchange holder : holders) {
            long waited = holder.waitedNanos(now);
            if (waited > longest) {
                longest = waited;
                slowest = holder;
            }
        }
        return slowest;
    }

    public void release(Exchange by, String user) {
        holders.remove(by);
        limit.release(user, 1);
    }
}
