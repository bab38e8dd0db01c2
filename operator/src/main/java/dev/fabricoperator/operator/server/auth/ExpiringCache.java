/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers of somebody else, believed for a short while. Holds at most {@code limit}; the one that was used longest ago goes
 * first.
 */
final class ExpiringCache<K, V> {
    private record Entry<V>(V value, Instant until) {}

    private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final int limit;
    private final Duration life;
    private final Clock clock;

    ExpiringCache(int limit, Duration life, Clock clock) {
        this.limit = limit;
        this.life = life;
        this.clock = clock;
    }

    synchronized @Nullable V get(K key) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (!clock.instant().isBefore(entry.until())) {
            entries.remove(key);
            return null;
        }
        return entry.value();
    }

    synchronized void put(K key, V value) {
        entries.put(key, new Entry<>(value, clock.instant().plus(life)));
        if (entries.size() > limit) {
            Iterator<K> oldest = entries.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    synchronized void removeIf(Predicate<V> value) {
        entries.values().removeIf(entry -> value.test(entry.value()));
    }

    synchronized int size() {
        return entries.size();
    }
}
