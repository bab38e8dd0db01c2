/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.jobs.service.JobEndpoint.TrafficCopy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies on their way to other replicas, in bounded memory: one of each job to each replica, and behind it the newest of those that came meanwhile. One
 * that is not taken is sent again, a few times.
 */
final class CopyQueue implements JobEndpoint.Copies {
    /** Of all copies that are sent or wait. */
    static final long MOST_BYTES = 16L << 20;
    /** The same of one namespace: no tenant takes all the room. */
    static final long MOST_BYTES_OF_NAMESPACE = MOST_BYTES / 2;

    static final int TRIES = 3;
    static final long FIRST_PAUSE_MILLIS = 3_000;
    /** Of a copy without its report and token: a guess, so that small ones are bounded, too. */
    private static final long OVERHEAD_BYTES = 4096;

    private final Supplier<List<String>> others;
    private final Sending sending;
    private final Later later;
    private final Map<Way, Slot> slots = new HashMap<>();
    private final Map<String, Long> byNamespace = new HashMap<>();
    private long bytes;

    enum Outcome {
        /** Or refused for good. */
        OVER,
        /** It may be taken another time. */
        NOT_NOW
    }

    /** Sends one copy. */
    @FunctionalInterface
    interface Sending {
        /** @param ended is told once, on whichever thread */
        void send(String other, TrafficCopy copy, Consumer<Outcome> ended);
    }

    @FunctionalInterface
    interface Later {
        void run(long millis, Runnable what);
    }

    private record Way(String other, String namespace, String fabricJob) {}

    /** One copy is under way. */
    private static final class Slot {
        private @Nullable TrafficCopy waiting;
    }

    /** @param others replicas as {@code address:port} */
    CopyQueue(Supplier<List<String>> others, Sending sending, Later later) {
        this.others = others;
        this.sending = sending;
        this.later = later;
    }

    @Override
    public void send(TrafficCopy copy) {
        for (String other : others.get()) {
            Way way = new Way(other, copy.namespace(), copy.fabricJob());
            if (mayStart(way, copy)) {
                start(way, copy, 1);
            }
        }
    }

    /** Whether nothing of that job is under way there; otherwise the copy waits, or is left out for want of room. */
    private synchronized boolean mayStart(Way way, TrafficCopy copy) {
        Slot slot = slots.get(way);
        if (slot != null && slot.waiting != null) {
            release(slot.waiting);
            slot.waiting = null;
        }
        long size = size(copy);
        long ofNamespace = byNamespace.getOrDefault(copy.namespace(), 0L) + size;
        if (bytes + size > MOST_BYTES || ofNamespace > MOST_BYTES_OF_NAMESPACE) {
            return false;
        }
        bytes += size;
        byNamespace.put(copy.namespace(), ofNamespace);
        if (slot == null) {
            slots.put(way, new Slot());
            return true;
        }
        slot.waiting = copy;
        return false;
    }

    private void start(Way way, TrafficCopy copy, int tries) {
        sending.send(way.other(), copy, outcome -> {
            if (outcome == Outcome.NOT_NOW && tries < TRIES) {
                later.run(FIRST_PAUSE_MILLIS * tries, () -> startAgain(way, copy, tries + 1));
            } else {
                startNext(way, copy);
            }
        });
    }

    private void startAgain(Way way, TrafficCopy copy, int tries) {
        if (isOutdated(way) || !others.get().contains(way.other())) {
            startNext(way, copy);
        } else {
            start(way, copy, tries);
        }
    }

    private void startNext(Way way, TrafficCopy before) {
        TrafficCopy next = next(way, before);
        if (next != null) {
            start(way, next, 1);
        }
    }

    private synchronized boolean isOutdated(Way way) {
        Slot slot = slots.get(way);
        return slot != null && slot.waiting != null;
    }

    private synchronized @Nullable TrafficCopy next(Way way, TrafficCopy before) {
        release(before);
        Slot slot = slots.get(way);
        TrafficCopy next = slot == null ? null : slot.waiting;
        if (slot == null || next == null) {
            slots.remove(way);
        } else {
            slot.waiting = null;
        }
        return next;
    }

    private void release(TrafficCopy copy) {
        long size = size(copy);
        bytes -= size;
        byNamespace.computeIfPresent(
                copy.namespace(), (namespace, before) -> before.longValue() == size ? null : before - size);
    }

    private static long size(TrafficCopy copy) {
        return OVERHEAD_BYTES + copy.token().length() + copy.report().length;
    }

    /** Of all copies that are sent or wait. */
    synchronized long bytes() {
        return bytes;
    }
}
