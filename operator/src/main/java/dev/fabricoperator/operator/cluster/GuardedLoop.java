/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs one step again and again, and that no exception ends.
 *
 * <p>After a failure it waits: {@link Backoff#first}, twice that and so on up to {@link Backoff#longest}, of which the second
 * half is random, so that replicas do not come back together. The first failure in a row is logged, after that one a minute.
 * A failure that passes by itself (an API server or a network that is away) never makes the process look dead, however long
 * it lasts; {@value #FATAL_FAILURES} others in a row do, and so does a thread that ended without {@link #stop}.
 *
 * @see GuardedLoops#start
 */
public final class GuardedLoop {
    static final int FATAL_FAILURES = 10;
    static final Backoff USUAL = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(10));
    private static final Logger LOG = Logger.getLogger(GuardedLoop.class);
    private static final Duration BETWEEN_LOG_LINES = Duration.ofMinutes(1);
    private static final Duration END = Duration.ofSeconds(2);

    private final String name;
    private final Step step;
    private final Backoff backoff;
    private final Counter failures;
    private final Consumer<GuardedLoop> onStop;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile int defectsInARow;
    private volatile @Nullable Throwable lastDefect;
    private int failuresInARow;
    private int notLogged;
    private long loggedNanos;

    /** What a loop does once; it waits for its work itself, best at its end: after a failure the guard has waited. */
    @FunctionalInterface
    public interface Step {
        /** @throws InterruptedException when the loop is being stopped */
        @SuppressWarnings("java:S112") // whatever a step throws, the loop survives it
        void run() throws Exception;
    }

    GuardedLoop(
            String name,
            Thread.Builder builder,
            Step step,
            Backoff backoff,
            Counter failures,
            Consumer<GuardedLoop> onStop) {
        this.name = name;
        this.step = step;
        this.backoff = backoff;
        this.failures = failures;
        this.onStop = onStop;
        this.thread = builder.name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!stopped) {
            try {
                step.run();
                succeeded();
            } catch (Throwable e) {
                if (!stopped) {
                    failed(e);
                }
            }
        }
    }

    private void succeeded() {
        if (failuresInARow > 0) {
            LOG.infof("%s goes on after %d failures", name, failuresInARow);
            failuresInARow = 0;
            notLogged = 0;
            defectsInARow = 0;
        }
    }

    private void failed(Throwable problem) {
        failures.increment();
        failuresInARow++;
        boolean passes = problem instanceof KubernetesClientException || problem instanceof IOException;
        if (passes) {
            defectsInARow = 0;
        } else {
            lastDefect = problem;
            defectsInARow++;
        }
        log(problem, passes);
        try {
            Thread.sleep(backoff.after(failuresInARow));
        } catch (InterruptedException e) {
            // By stop(), which the loop sees next, or by somebody who has no business with this thread.
            LOG.debugf(e, "%s is interrupted while it waits", name);
        }
    }

    private void log(Throwable problem, boolean passes) {
        long now = System.nanoTime();
        if (failuresInARow > 1 && now - loggedNanos < BETWEEN_LOG_LINES.toNanos()) {
            notLogged++;
            return;
        }
        String before = notLogged == 0 ? "" : " (and " + notLogged + " times before)";
        if (passes) {
            LOG.warnf("%s is tried again: %s%s", name, problem.getMessage(), before);
        } else {
            LOG.errorf(problem, "%s has failed and is tried again%s", name, before);
        }
        loggedNanos = now;
        notLogged = 0;
    }

    /** Why the process should be started anew, {@code null} while the loop does its work or is stopped. */
    @Nullable
    String failure() {
        if (stopped) {
            return null;
        }
        if (!thread.isAlive()) {
            return "the thread " + name + " has ended";
        }
        return defectsInARow < FATAL_FAILURES
                ? null
                : name + " has failed " + defectsInARow + " times in a row: " + lastDefect;
    }

    /** As {@link #stop}, without waiting. */
    public void interrupt() {
        stopped = true;
        onStop.accept(this);
        thread.interrupt();
    }

    /** Ends the loop: interrupts its step, and waits a moment until the thread has ended, unless it is this one. */
    public void stop() {
        interrupt();
        if (Thread.currentThread() != thread) {
            try {
                thread.join(END);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
