/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * Shows that readers take time in proportion to their text: each of {@link Growing} at lengths that double. Prints per text
 * processor time and allocated bytes for a byte of the text at each length, and the power of the length that the time from the
 * shortest to the longest grows with: 1 is linear. Ends with exit code 1 where that is above 1.4.
 */
public final class Doubling {
    private static final int[] COUNTS = {16, 32, 64, 128};
    private static final int ROUNDS = 7;
    private static final double HIGHEST_POWER = 1.4;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Doubling() {}

    private record Cost(double nanosOfByte, double allocatedOfByte, int bytes) {}

    public static void main(String[] arguments) {
        System.out.printf(
                "%-40s %10s %30s %30s %6s%n", "", "longest B", "CPU ns a byte", "allocated B a byte", "power");
        boolean linear = true;
        for (Growing text : Growing.values()) {
            Cost[] costs = new Cost[COUNTS.length];
            // The first passes are the compiler's.
            for (int pass = 0; pass < 3; pass++) {
                for (int i = 0; i < costs.length; i++) {
                    costs[i] = least(text, text.of(COUNTS[i]));
                }
            }
            Cost longest = costs[costs.length - 1];
            double times = (double) longest.bytes / costs[0].bytes;
            double power = 1 + Math.log(longest.nanosOfByte / costs[0].nanosOfByte) / Math.log(times);
            linear &= power <= HIGHEST_POWER;
            StringBuilder nanos = new StringBuilder();
            StringBuilder allocated = new StringBuilder();
            for (Cost cost : costs) {
                nanos.append(String.format(Locale.ROOT, " %7.1f", cost.nanosOfByte));
                allocated.append(String.format(Locale.ROOT, " %7.1f", cost.allocatedOfByte));
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-40s %,10d %30s %30s %6.2f%n",
                    text.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    longest.bytes,
                    nanos,
                    allocated,
                    power);
        }
        System.exit(linear ? 0 : 1);
    }

    private static Cost least(Growing text, byte[] bytes) {
        long nanos = Long.MAX_VALUE;
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
            long before = THREADS.getCurrentThreadCpuTime();
            Attempt.read(text.format, bytes);
            nanos = Math.min(nanos, THREADS.getCurrentThreadCpuTime() - before);
            allocated = Math.min(allocated, THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
        }
        return new Cost((double) nanos / bytes.length, (double) allocated / bytes.length, bytes.length);
    }
}
