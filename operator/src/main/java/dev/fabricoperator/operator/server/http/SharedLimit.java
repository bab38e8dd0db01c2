/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.util.HashMap;
import java.util.Map;

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
        long own = users.getOrDefault(user, 0L);
        if (amount > total - used || amount > each - own) {
            return false;
        }
        used += amount;
        users.put(user, own + amount);
        return true;
    }

    public synchronized void release(String user, long amount) {
        used -= amount;
        users.computeIfPresent(user, (name, own) -> own > amount ? own - amount : null);
    }

    synchronized long used() {
        return used;
    }
}
