/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.io.IOException;

/**
 * A daemon thread that takes one step after the other and does not end silently. After a step that fails there is a line in the log
 * and a pause; {@value #MAX_FAULTS} faults in a row go to the default handler, which ends the process.
 */
public final class GuardedThread implements Runnable {
    /** One step; it may wait. */
    public interface Step {
        /**
         * @return whether another one follows
         * @throws IOException for what may be over in a moment; it is tried again without end
         */
        boolean run() throws IOException, InterruptedException;
    }

    static final int MAX_FAULTS = 5;
    private static final int FIRST_PAUSE_MILLIS = 50;
    private static final int LONGEST_PAUSE_MILLIS = 5_000;

    private final String name;
    private final Step step;
    private final RateLimitedLog log;
    private final Backoff backoff;
    private int faults;

    GuardedThread(String name, Step step, RateLimitedLog log, Backoff backoff) {
        this.name = name;
        this.step = step;
        this.log = log;
        this.backoff = backoff;
    }

    /** @param stackBytes 0 for the usual size */
    public static void start(String name, long stackBytes, Step step) {
        Backoff backoff = new Backoff(FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS);
        Thread thread =
                new Thread(null, new GuardedThread(name, step, new RateLimitedLog(), backoff), name, stackBytes);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        boolean more = true;
        while (more) {
            try {
                more = guarded();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean guarded() throws InterruptedException {
        try {
            boolean more = step.run();
            faults = 0;
            backoff.reset();
            return more;
        } catch (IOException e) {
            log.line(name + ": " + e.getMessage());
        } catch (RuntimeException e) {
            if (++faults == MAX_FAULTS) {
                throw e;
            }
            log.line(name + ": a fault, tried again: " + e);
        }
        Thread.sleep(backoff.nextMillis());
        return true;
    }
}
