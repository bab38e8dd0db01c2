/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How many do something at one time, of everybody together and of each user; who finds no turn free waits for one. A turn that ends goes to the users that wait
 * one after the other, and of a user to who has waited longest: a thousand of one user hold up the only one of another for one turn. How many wait is bounded,
 * too. Thread-safe. O(1), but O(users that have all that they may) where a turn ends.
 *
 * @see "Nagle: On packet switches with infinite storage (RFC 970), fair queueing"
 */
public final class FairTurns {
    private final Limits limits;
    private final Map<String, User> users = new HashMap<>();
    /** Users that have somebody who waits, the one that is to be asked next first. */
    private final ArrayDeque<User> waitingUsers = new ArrayDeque<>();

    private int taken;
    private int waiting;

    /**
     * @param total turns at one time
     * @param each of them of one user
     * @param waiting how many wait at one time
     * @param waitingEach of them of one user
     */
    public record Limits(int total, int each, int waiting, int waitingEach) {}

    /** What became of a wish for a turn. */
    public enum Outcome {
        /** It is there, and to be given back by {@link #release}. */
        taken,
        /** As many wait as may. */
        crowded,
        /** It has not come in time. */
        late
    }

    private static final class User {
        /** In the order in which they came. */
        final LinkedHashSet<CountDownLatch> waiting = new LinkedHashSet<>();

        int taken;
    }

    public FairTurns(Limits limits) {
        this.limits = limits;
    }

    /** Waits in the calling thread, at most for {@code patience}. */
    public Outcome acquire(String user, Duration patience) throws InterruptedException {
        CountDownLatch turn = new CountDownLatch(1);
        synchronized (this) {
            User own = users.computeIfAbsent(user, name -> new User());
            // Where a turn is free, nobody waits who may have it.
            if (taken < limits.total() && own.taken < limits.each() && own.waiting.isEmpty()) {
                own.taken++;
                taken++;
                return Outcome.taken;
            }
            if (waiting >= limits.waiting() || own.waiting.size() >= limits.waitingEach()) {
                forgetUnused(user, own);
                return Outcome.crowded;
            }
            if (own.waiting.isEmpty()) {
                waitingUsers.add(own);
            }
            own.waiting.add(turn);
            waiting++;
        }
        try {
            if (turn.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return Outcome.taken;
            }
        } catch (InterruptedException e) {
            if (!giveUp(user, turn)) {
                release(user);
            }
            throw e;
        }
        // It may have come since.
        return giveUp(user, turn) ? Outcome.late : Outcome.taken;
    }

    /** Whether it was still waiting. */
    private synchronized boolean giveUp(String user, CountDownLatch turn) {
        User own = Objects.requireNonNull(users.get(user));
        if (!own.waiting.remove(turn)) {
            return false;
        }
        waiting--;
        if (own.waiting.isEmpty()) {
            waitingUsers.remove(own);
        }
        forgetUnused(user, own);
        return true;
    }

    private void forgetUnused(String user, User own) {
        if (own.taken == 0 && own.waiting.isEmpty()) {
            users.remove(user);
        }
    }

    /** Gives a turn back. */
    public synchronized void release(String user) {
        User own = Objects.requireNonNull(users.get(user));
        own.taken--;
        taken--;
        for (int left = waitingUsers.size(); left > 0 && taken < limits.total(); left--) {
            User next = waitingUsers.remove();
            if (next.taken < limits.each()) {
                next.taken++;
                taken++;
                waiting--;
                next.waiting.removeFirst().countDown();
            }
            if (!next.waiting.isEmpty()) {
                waitingUsers.add(next);
            }
        }
        forgetUnused(user, own);
    }

    /** How many wait. */
    public synchronized int waiting() {
        return waiting;
    }

    /** Users that have a turn or wait for one. */
    synchronized int users() {
        return users.size();
    }
}
