/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One open connection, from before its TLS handshake on. {@link ConnectionLimits} guards the fields that it counts by.
 */
final class ClientConnection {
    final String address;
    final long openedNanos;
    private final Runnable close;
    private final Runnable abort;
    private boolean closing;
    private volatile boolean aborted;
    private final Set<Exchange> inWork = ConcurrentHashMap.newKeySet();
    private volatile long idleSinceNanos;

    /** Guarded by the {@link ConnectionLimits}. */
    boolean handshaking = true;

    /** Guarded by the {@link ConnectionLimits}. */
    boolean gone;

    /** Whether its client has shown something valid. Written under the lock of {@link ConnectionLimits}. */
    volatile boolean proven;

    /**
     * @param close as the protocol has it, which a client can hold up by not reading
     * @param abort at once
     */
    ClientConnection(String address, long nowNanos, Runnable close, Runnable abort) {
        this.address = address;
        this.openedNanos = nowNanos;
        this.idleSinceNanos = nowNanos;
        this.close = close;
        this.abort = abort;
    }

    /** As the protocol has it at the first call, at once at the second. */
    synchronized void close() {
        if (closing) {
            abort.run();
        } else {
            closing = true;
            close.run();
        }
    }

    void abort() {
        aborted = true;
        abort.run();
    }

    /** For how long the client of one of its requests has kept the listener waiting, the longest; 0 for one that has been told to end. */
    long waitedNanos(long nowNanos) {
        return aborted
                ? 0
                : inWork.stream()
                        .mapToLong(exchange -> exchange.waitedNanos(nowNanos))
                        .max()
                        .orElse(0);
    }

    void begins(Exchange exchange) {
        inWork.add(exchange);
    }

    void ends(Exchange exchange) {
        idleSinceNanos = System.nanoTime();
        inWork.remove(exchange);
    }

    Set<Exchange> inWork() {
        return inWork;
    }

    /** Whether it has been there for nothing for longer than this. */
    boolean isIdleFor(long nowNanos, long provenNanos, long unprovenNanos) {
        return inWork.isEmpty() && nowNanos - idleSinceNanos > (proven ? provenNanos : unprovenNanos);
    }

    /** The connections of one address. */
    static final class OfAddress {
        int open;
        int handshaking;
        /** Oldest first. */
        final Set<ClientConnection> unproven = new LinkedHashSet<>();

        static OfAddress in(Map<String, OfAddress> all, String address) {
            return all.computeIfAbsent(address, a -> new OfAddress());
        }
    }
}
