/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How much memory a computation asks for, which unlike its time is the same on every machine. */
public final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Bytes that this thread allocates while {@code work} runs, also those that are free again. */
    public static long bytesOf(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
