/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import dev.fabricoperator.operator.cluster.Backoff;
import java.time.Duration;

/**
 * How much an appliance may cost.
 *
 * @param connect for a connection
 * @param answer from a request to the first byte of its answer
 * @param whole for everything together
 * @param bytes of all answers together, uncompressed
 * @param compressedBytes of all answers together, as they are kept until they are read
 * @param pageSize resources in one answer
 * @param attempts at one page
 * @param backoff between them
 */
public record UfmLimits(
        Duration connect,
        Duration answer,
        Duration whole,
        long bytes,
        long compressedBytes,
        int pageSize,
        int attempts,
        Backoff backoff) {
    /** Fit for 80,000 ports with all that UFM says of them, a kilobyte each. */
    public static final UfmLimits DEFAULT = new UfmLimits(
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5),
            2L << 30,
            64L << 20,
            1000,
            3,
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(4)));

    /** Of the heap, for compressed answers of all appliances together: those of 80,000 ports are some 5 MiB. */
    private static final int PART_OF_HEAP = 8;

    /** These limits for one of several appliances that answer at one time. */
    public UfmLimits sharedBy(int appliances) {
        long share = Runtime.getRuntime().maxMemory() / PART_OF_HEAP / Math.max(1, appliances);
        return new UfmLimits(
                connect, answer, whole, bytes, Math.min(compressedBytes, share), pageSize, attempts, backoff);
    }
}
