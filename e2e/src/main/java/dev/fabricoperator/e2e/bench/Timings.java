/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;

/**
 * How long one thing took, round by round.
 *
 * <p>Processor time is of the thread alone: where other programs run beside, it says what a wall clock cannot.
 */
final class Timings {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final double NANOS_PER_MILLI = 1e6;

    private final long[] wall;
    private final long[] processor;
    private int rounds;

    Timings(int rounds) {
        wall = new long[rounds];
        processor = new long[rounds];
    }

    /** Runs it once; what it makes is looked at, so that no compiler leaves it out. */
    <T> T time(Measured<T> thing) {
        long before = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        T made = thing.run();
        wall[rounds] = System.nanoTime() - start;
        processor[rounds++] = THREADS.getCurrentThreadCpuTime() - before;
        return Objects.requireNonNull(made);
    }

    /** What is timed. */
    @FunctionalInterface
    interface Measured<T> {
        T run();
    }

    int rounds() {
        return rounds;
    }

    double medianMilliseconds() {
        return percentile(wall, 0.5);
    }

    double p99Milliseconds() {
        return percentile(wall, 0.99);
    }

    double medianProcessorMilliseconds() {
        return percentile(processor, 0.5);
    }

    private double percentile(long[] all, double share) {
        long[] sorted = Arrays.copyOf(all, rounds);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(rounds - 1, Math.ceil(share * rounds) - 1)] / NANOS_PER_MILLI;
    }
}
