/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Hands updates to whoever listens; a listener that does not take them in time loses its subscription. */
public final class FabricUpdates {
    /** Updates that a listener may leave in its queue; a fabric updates at most a few times a second. */
    private static final int QUEUE_LENGTH = 64;

    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** Updates of one fabric from now on. */
    public Subscription subscribe(String fabric) {
        Subscription made = new Subscription(fabric);
        subscriptions.add(made);
        return made;
    }

    /** @param listener runs when any fabric has updated, for as long as this process, and must not wait */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    /** Lets those listeners look that are told of any fabric. */
    void wake() {
        listeners.forEach(Runnable::run);
    }

    void publish(FabricUpdate update) {
        wake();
        for (Subscription subscription : subscriptions) {
            if (subscription.fabric.equals(update.fabric())) {
                subscription.offer(update);
            }
        }
    }

    int listeners() {
        return subscriptions.size();
    }

    /** One listener's. */
    public final class Subscription implements AutoCloseable {
        private final String fabric;
        private final ArrayDeque<FabricUpdate> queue = new ArrayDeque<>();
        private boolean closed;

        private Subscription(String fabric) {
            this.fabric = fabric;
        }

        private synchronized void offer(FabricUpdate update) {
            if (queue.size() >= QUEUE_LENGTH) {
                close();
                return;
            }
            queue.add(update);
            notifyAll();
        }

        /** The next update; {@code null} when none came within the time. */
        public synchronized @Nullable FabricUpdate poll(long milliseconds) throws InterruptedException {
            long end = System.nanoTime() + milliseconds * 1_000_000;
            while (queue.isEmpty() && !closed) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return null;
                }
                wait(left);
            }
            return closed ? null : queue.poll();
        }

        public synchronized boolean isClosed() {
            return closed;
        }

        @Override
        public synchronized void close() {
            closed = true;
            queue.clear();
            subscriptions.remove(this);
            notifyAll();
        }
    }
}
