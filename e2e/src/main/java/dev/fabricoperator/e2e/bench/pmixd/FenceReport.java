/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;

/** How long a fence of all ranks takes: {@code FenceReport [ROUNDS]}; all pods share this machine's cores. */
final class FenceReport {
    private static final int SMALL_BYTES = 200;
    private static final int OPEN_MPI_BYTES = 1_500;

    private FenceReport() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_000;
        System.out.printf(
                Locale.ROOT, "%6s %6s %8s %10s %10s %10s%n", "pods", "ranks", "bytes", "p50/us", "p99/us", "first/ms");
        for (int pods : new int[] {2, 4, 8, 16}) {
            report(pods, 1, 0, rounds);
            report(pods, 1, OPEN_MPI_BYTES, rounds);
        }
        report(16, 64, OPEN_MPI_BYTES, rounds);
        report(256, 4, SMALL_BYTES, Math.max(20, rounds / 20));
        report(1024, 1, 0, Math.max(20, rounds / 40));
        report(1024, 1, SMALL_BYTES, Math.max(20, rounds / 40));
    }

    private static void report(int pods, int ranksPerPod, int bytes, int rounds)
            throws IOException, InterruptedException {
        try (SimulatedPods job =
                new SimulatedPods(pods, ranksPerPod, Runtime.getRuntime().availableProcessors())) {
            // Includes that pods connect and agree on keys.
            long first = job.fence(bytes);
            long[] nanos = new long[rounds];
            for (int i = 0; i < rounds; i++) {
                nanos[i] = job.fence(bytes);
            }
            Arrays.sort(nanos);
            System.out.printf(
                    Locale.ROOT,
                    "%6d %6d %8d %10.0f %10.0f %10.1f%n",
                    pods,
                    pods * ranksPerPod,
                    bytes,
                    nanos[rounds / 2] / 1e3,
                    nanos[rounds * 99 / 100] / 1e3,
                    first / 1e6);
        }
    }
}
