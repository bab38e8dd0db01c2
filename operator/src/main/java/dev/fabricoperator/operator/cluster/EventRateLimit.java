/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How many Events one object may have for one reason: {@value #BURST} at once, and one more every {@link #INTERVAL}. The
 * numbers are of the order of those of Kubernetes' own components (client-go, {@code tools/record/events_cache.go}).
 *
 * <p>Memory is bounded: what was asked for longest ago is forgotten, and begins anew.
 */
final class EventRateLimit {
    static final int BURST = 20;
    static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final int REMEMBERED = 4096;

    private final SteadyClock clock;
    private final Map<Key, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Bucket> eldest) {
            return size() > REMEMBERED;
        }
    };

    private record Key(String uid, String reason) {}

    /** @param paid until when what was spent is paid for; {@code leftOut} since the last Event */
    private record Bucket(Instant paid, int leftOut) {}

    EventRateLimit(SteadyClock clock) {
        this.clock = clock;
    }

    /** How many were left out since the last one, if there may be one more; else empty. */
    synchronized OptionalInt spend(String uid, String reason) {
        Instant now = clock.instant();
        Key key = new Key(uid, reason);
        Bucket bucket = buckets.getOrDefault(key, new Bucket(now, 0));
        Instant paid = (bucket.paid().isBefore(now) ? now : bucket.paid()).plus(INTERVAL);
        if (paid.isAfter(now.plus(INTERVAL.multipliedBy(BURST)))) {
            buckets.put(key, new Bucket(bucket.paid(), bucket.leftOut() + 1));
            return OptionalInt.empty();
        }
        buckets.put(key, new Bucket(paid, 0));
        return OptionalInt.of(bucket.leftOut());
    }
}
