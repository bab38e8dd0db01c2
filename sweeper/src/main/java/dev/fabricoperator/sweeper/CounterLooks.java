/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters that one command prints of all switches, beside the sweeps, which do not wait for it. A look that fails leaves no counters, and says why once.
 *
 * <p>The limits are for windows of a minute and more, so that a look every 30 s sees what comes within one, and two sweeps tell it.
 */
final class CounterLooks {
    private static final Duration MOST = Duration.ofSeconds(30);
    /** Of the time, looking takes at most one part in so many. */
    private static final int REST = 10;

    static final PortCounters FAILED = new PortCounters(Map.of(), 0, false);

    private final String what;
    private final Command command;
    private final Duration interval;
    private final Runnable looked;
    private Instant due = Instant.MIN;
    private boolean looking;
    private @Nullable Ended ended;
    private @Nullable String problem;

    /** Of {@link Subnet}. */
    @FunctionalInterface
    interface Command {
        PortCounters read() throws IOException, BadInputException, InterruptedException;
    }

    /**
     * A look that has ended.
     *
     * @param began by the clock of {@link #lookIfDue}
     * @param counters of no port, and not complete, where it failed
     * @param problem why it failed, {@code null} where it did not
     */
    record Ended(
            Instant began, PortCounters counters, @Nullable String problem) {}

    /**
     * @param what is read, as the log calls it
     * @param looked called when a look has ended, well or not
     */
    CounterLooks(String what, Command command, Duration sweepInterval, Runnable looked) {
        this.what = what;
        this.command = command;
        this.interval = sweepInterval.compareTo(MOST) < 0 ? sweepInterval : MOST;
        this.looked = looked;
    }

    /**
     * Begins a look where it is time.
     *
     * @param now by a {@code SteadyClock}
     */
    synchronized void lookIfDue(Instant now) {
        if (!looking && !now.isBefore(due)) {
            looking = true;
            Thread.ofVirtual().name(what).start(() -> look(now));
        }
    }

    synchronized boolean isLooking() {
        return looking;
    }

    private void look(Instant began) {
        long start = System.nanoTime();
        PortCounters counters = FAILED;
        String why = null;
        try {
            counters = command.read();
        } catch (IOException | BadInputException e) {
            why = String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "interrupted";
        } catch (RuntimeException e) {
            why = "a defect: " + e;
        }
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        synchronized (this) {
            if (why != null && !why.equals(problem)) {
                Sweeper.log(what + ": " + why);
            }
            problem = why;
            ended = new Ended(began, counters, why);
            Duration rest = taken.multipliedBy(REST);
            due = began.plus(rest.compareTo(interval) > 0 ? rest : interval);
            looking = false;
        }
        looked.run();
    }

    /** The look that has ended since this was asked last; {@code null} where there was none. */
    synchronized @Nullable Ended take() {
        Ended taken = ended;
        ended = null;
        return taken;
    }
}
