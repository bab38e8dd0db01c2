/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One launch, in seconds since just before {@code kubectl apply}.
 *
 * @param up the last rank's (or container's) first own line: past MPI_Init where it is an MPI program
 * @param reduced the last rank past its first Allreduce, {@code null} for a program without one
 * @param assembly from the last pod's question to the job service until it is told that the job is whole, by the clock of its pmixd; {@code null}
 *     where pmixd's lines are not in the log
 * @param seen the job was seen finished
 * @param cpuSeconds what the whole machine worked from apply until the job was seen finished
 * @param byProgram the same by program
 * @param failedAttempts starts of a pod or launcher that failed before one succeeded
 * @param warnings what events of type Warning told of the job and its pods, such as a mount or a creation that was tried again
 */
record Launch(
        double up,
        @Nullable Double reduced,
        @Nullable Double assembly,
        double seen,
        double cpuSeconds,
        Map<String, Double> byProgram,
        int failedAttempts,
        List<String> warnings) {
    /** The middle of the values, or between the two middle ones. */
    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The least value that nine of ten do not exceed. */
    static double ninetiethPercentile(List<Double> values) {
        return percentile(values, 90);
    }

    /** The least value that so many of a hundred do not exceed. */
    static double percentile(List<Double> values, int percent) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((sorted.size() * percent + 99) / 100 - 1);
    }
}
