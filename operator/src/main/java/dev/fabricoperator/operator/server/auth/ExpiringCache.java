/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import dev.fabricoperator.crds.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers of somebody else, believed for a short while. Holds at most {@code limit}; the one that was used longest ago goes
 * first. Those of one subject can be forgotten together, which takes no look at the others.
 */
public final class ExpiringCache<K, V> {
    private record Entry<V>(V value, Instant until) {}

    private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Set<K>> bySubject = new HashMap<>();
    private final int limit;
    private final Duration life;
    private final SteadyClock clock;
    private final Function<V, @Nullable String> subject;
    private long forgotten;

    public ExpiringCache(int limit, Duration life, SteadyClock clock) {
        this(limit, life, clock, value -> null);
    }

    /** @param subject of an answer, {@code null} where it has none; always the same for the same answer */
    public ExpiringCache(int limit, Duration life, SteadyClock clock, Function<V, @Nullable String> subject) {
        this.limit = limit;
        this.life = life;
        this.clock = clock;
        this.subject = subject;
    }

    public synchronized @Nullable V get(K key) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (!clock.instant().isBefore(entry.until())) {
            remove(key);
            return null;
        }
        return entry.value();
    }

    public synchronized void put(K key, V value) {
        remove(key);
        entries.put(key, new Entry<>(value, clock.instant().plus(life)));
        String of = subject.apply(value);
        if (of != null) {
            bySubject.computeIfAbsent(of, first -> new HashSet<>()).add(key);
        }
        if (entries.size() > limit) {
            remove(entries.keySet().iterator().next());
        }
    }

    /** What is there becomes something else, in one step; its life begins anew. */
    public synchronized V merge(K key, V first, BinaryOperator<V> next) {
        V before = get(key);
        V now = before == null ? first : next.apply(before, first);
        put(key, now);
        return now;
    }

    /** Changes with each {@link #forget}. */
    synchronized long forgotten() {
        return forgotten;
    }

    /** Keeps nothing if something was forgotten since: it may be this, which was asked for before. */
    synchronized void putUnlessForgotten(K key, V value, long forgottenBefore) {
        if (forgotten == forgottenBefore) {
            put(key, value);
        }
    }

    synchronized void forget(String ofSubject) {
        forgotten++;
        Set<K> keys = bySubject.remove(ofSubject);
        if (keys != null) {
            keys.forEach(entries::remove);
        }
    }

    private void remove(K key) {
        Entry<V> entry = entries.remove(key);
        String of = entry == null ? null : subject.apply(entry.value());
        if (of != null) {
            bySubject.computeIfPresent(of, (same, keys) -> keys.remove(key) && keys.isEmpty() ? null : keys);
        }
    }

    synchronized int size() {
        return entries.size();
    }

    synchronized int subjects() {
        return bySubject.size();
    }
}
