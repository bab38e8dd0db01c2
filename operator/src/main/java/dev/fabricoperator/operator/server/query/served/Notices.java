/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.served;

import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Hands notices to whoever listens; a listener that does not take them in time loses its subscription. */
public final class Notices {
    /** Notices that a listener may leave untaken; a fabric updates at most a few times a second. */
    private static final int UNTAKEN = 64;

    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    /** Notices of one fabric from now on. */
    public Subscription subscribe(String fabric) {
        Subscription made = new Subscription(fabric);
        subscriptions.add(made);
        return made;
    }

    void tell(Notice notice) {
        for (Subscription subscription : subscriptions) {
            if (subscription.fabric.equals(notice.fabric())) {
                subscription.offer(notice);
            }
        }
    }

    int listeners() {
        return subscriptions.size();
    }

    /** One listener's. */
    public final class Subscription implements AutoCloseable {
        private final String fabric;
        private final ArrayDeque<Notice> untaken = new ArrayDeque<>();
        private boolean closed;

        private Subscription(String fabric) {
            this.fabric = fabric;
        }

        private synchronized void offer(Notice notice) {
            if (untaken.size() >= UNTAKEN) {
                close();
                return;
            }
            untaken.add(notice);
            notifyAll();
        }

        /** The next notice; {@code null} when none came within the time. */
        public synchronized @Nullable Notice poll(long milliseconds) throws InterruptedException {
            long end = System.nanoTime() + milliseconds * 1_000_000;
            while (untaken.isEmpty() && !closed) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return null;
                }
                wait(left);
            }
            return closed ? null : untaken.poll();
        }

        public synchronized boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized void close() {
            closed = true;
            untaken.clear();
            subscriptions.remove(this);
            notifyAll();
        }
    }
}
