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
 * Reads the counters of all switches beside the sweeps, which do not wait for it. A look that fails leaves no counters, and says why once.
 *
 * <p>The limits are for windows of a minute and more, so that a look every 30 s sees what comes within one, and two sweeps tell it.
 */
final class CounterLooks {
    private static final Duration MOST = Duration.ofSeconds(30);
    /** Of the time, looking takes at most one part in so many. */
    private static final int REST = 10;

    private static final PortCounters FAILED = new PortCounters(Map.of(), 0, false);

    private final Subnet subnet;
    private final boolean withData;
    private final Duration interval;
    private final Runnable looked;
    private Instant due = Instant.MIN;
    private boolean looking;
    private @Nullable Ended ended;
    private @Nullable String problem;

    /**
     * A look that has ended.
     *
     * @param began by the clock of {@link #lookIfDue}
     * @param counters of no port, and not complete, where it failed
     * @param data the same of what ports have sent and received
     */
    record Ended(Instant began, PortCounters counters, PortCounters data) {}

    /**
     * @param withData whether to look at what ports have sent and received, too
     * @param looked called when a look has ended, well or not
     */
    CounterLooks(Subnet subnet, boolean withData, Duration sweepInterval, Runnable looked) {
        this.subnet = subnet;
        this.withData = withData;
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
            Thread.ofVirtual().name("counters").start(() -> look(now));
        }
    }

    private void look(Instant began) {
        long start = System.nanoTime();
        PortCounters counters = FAILED;
        PortCounters data = FAILED;
        String why = null;
        try {
            counters = subnet.counters();
            data = withData ? subnet.dataCounters() : FAILED;
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
                Sweeper.log("counters: " + why);
            }
            problem = why;
            ended = new Ended(began, counters, data);
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
