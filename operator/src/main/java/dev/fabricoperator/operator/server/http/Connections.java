/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The open connections: how many there may be, and for how long one may be there without asking. Whoever sends a request byte by byte
 * has not asked.
 */
final class Connections {
    /** Clients that have asked before keep a connection for the next time; Go's give it up after 90 s. */
    private static final Duration BETWEEN_REQUESTS = Duration.ofSeconds(100);

    private static final class Use {
        private final AtomicInteger inWork = new AtomicInteger();
        private volatile boolean asked;
        private volatile long since = System.nanoTime();
    }

    private final Map<HttpConnection, Use> open = new ConcurrentHashMap<>();
    private final int limit;
    private final Duration beforeFirst;

    Connections(int limit, Duration beforeFirst) {
        this.limit = limit;
        this.beforeFirst = beforeFirst;
    }

    void opened(HttpConnection connection) {
        if (open.size() >= limit) {
            connection.close();
            return;
        }
        open.put(connection, new Use());
        connection.closeHandler(closed -> open.remove(connection));
    }

    void begins(HttpConnection connection) {
        Use use = open.get(connection);
        if (use != null) {
            use.asked = true;
            use.inWork.incrementAndGet();
        }
    }

    void ends(@Nullable HttpConnection connection) {
        Use use = connection == null ? null : open.get(connection);
        if (use != null) {
            use.since = System.nanoTime();
            use.inWork.decrementAndGet();
        }
    }

    /** Closes those that are there for nothing. */
    void sweep() {
        long now = System.nanoTime();
        open.forEach((connection, use) -> {
            Duration idle = Duration.ofNanos(now - use.since);
            if (use.inWork.get() == 0 && idle.compareTo(use.asked ? BETWEEN_REQUESTS : beforeFirst) > 0) {
                connection.close();
            }
        });
    }

    int size() {
        return open.size();
    }
}
