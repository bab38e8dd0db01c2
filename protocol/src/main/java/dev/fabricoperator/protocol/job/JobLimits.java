/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/** Bounds that admission, templates, pmixd and the launcher share; the launcher's own is RANKS_MAX of its message.h. */
public final class JobLimits {
    /** Of one pod: more than the hardware threads of any host. */
    public static final int RANKS_PER_POD = 1024;

    private static final int LEAST_HEAP_MEBIBYTES = 24;
    private static final int MOST_HEAP_MEBIBYTES = 1024;
    /** A pmixd holds what all ranks bring to a fence up to three times: 2.6 KiB of each fit. */
    private static final int HEAP_KIBIBYTES_PER_RANK = 8;

    private JobLimits() {}

    /**
     * Heap for each pmixd of a job ({@code -Xmx}), MiB: they must agree on what a fence may hold.
     *
     * @param jobRanks ranks of the whole job
     */
    public static int heapMebibytes(long jobRanks) {
        long forRanks = (Math.min(jobRanks, 1 << 20) * HEAP_KIBIBYTES_PER_RANK + 1023) / 1024;
        return (int) Math.min(MOST_HEAP_MEBIBYTES, LEAST_HEAP_MEBIBYTES + forRanks);
    }
}
