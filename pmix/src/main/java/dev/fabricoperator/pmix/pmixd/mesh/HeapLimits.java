/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

/**
 * How much the pods of a job may say to each other at a time, by the largest heap that this process may have. Admission gives every
 * pmixd of a job the same heap, by the job's ranks ({@code -Xmx}), so that they agree; where it does not learn of the job in time it
 * assumes a size, and they may differ.
 *
 * @param fenceBytes of all parts that this pod holds for fences that are under way
 * @param messageBytes of one message, with a fence's parts or its result, or the job's map
 */
public record HeapLimits(int fenceBytes, int messageBytes) {
    /** For what a pmixd holds without fences, and its young generation; ample in small jobs, not derived from a measurement. */
    private static final long RESERVED = 12L << 20;
    /** A pod holds what it has heard and, for a moment, the message or the answer that it makes of it. */
    private static final int COPIES = 3;

    private static final int LEAST = 1 << 20;
    private static final int MOST = 1 << 29;
    private static final int MESSAGE_HEAD = 1 << 20;

    public static HeapLimits of(long heapBytes) {
        int fence = (int) Math.clamp((heapBytes - RESERVED) / COPIES, LEAST, MOST);
        return new HeapLimits(fence, fence + MESSAGE_HEAD);
    }

    public static HeapLimits ofThisProcess() {
        return of(Runtime.getRuntime().maxMemory());
    }

    /** Of each kind of question and collective that waits for an answer, and of what is remembered of those that had theirs. */
    public int waitingBytes() {
        return fenceBytes / 8;
    }

    /** Of published data and of lookups that wait, in pod 0: small beside the fences, and a name of MPI takes some 300 bytes. */
    public int publishedBytes() {
        return fenceBytes / 8;
    }
}
