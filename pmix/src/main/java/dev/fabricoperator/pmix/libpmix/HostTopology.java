/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The topology of this container, read by hwloc once for all ranks of the pod: each would read the same hundreds of files of sysfs in PMIx_Init, some 14 ms of
 * processor time on a machine of two cores and far more on one of a hundred. Read with the choice of objects that libpmix makes in its clients, so that they
 * have what they would have found. Shared as text, not as memory: that needs one address that is free in every process, and one version of hwloc.
 *
 * @see "OpenPMIx 5.0.7, src/hwloc/pmix_hwloc.c, set_flags; PMIX_HWLOC_XML_V2 in pmix_common.h"
 */
final class HostTopology {
    /** {@code HWLOC_TYPE_FILTER_KEEP_IMPORTANT} of {@code hwloc.h}. */
    private static final int KEEP_IMPORTANT = 3;

    /** A machine of 256 cores with all its devices has some 400 kB. */
    private static final int LIMIT_BYTES = 2 << 20;

    private static final long PATIENCE_NANOS = 2_000_000_000;

    private final CountDownLatch read = new CountDownLatch(1);
    private final long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    private volatile @Nullable String xml;

    /**
     * Begins to read, on a thread of its own.
     *
     * @param failed is told why there is none
     */
    HostTopology(Native calls, Consumer<String> failed) {
        Thread reader = new Thread(() -> {
            try {
                xml = read(calls);
            } catch (RuntimeException e) {
                failed.accept("ranks read the topology of their host themselves: " + e.getMessage());
            } finally {
                read.countDown();
            }
        });
        reader.setDaemon(true);
        reader.start();
    }

    /** PMIX_HWLOC_XML_V2, {@code null} if hwloc could not read it, or has not within two seconds of its begin. */
    @Nullable
    String xml() {
        try {
            return read.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS) ? xml : null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private static @Nullable String read(Native calls) {
        try (NativeBlock block = new NativeBlock(calls, 3 * Long.BYTES)) {
            NativeBlock.Part topology = block.part(Long.BYTES);
            NativeBlock.Part text = block.part(Long.BYTES);
            NativeBlock.Part length = block.part(Long.BYTES);
            require(calls, "hwloc_topology_init", topology.address(), 0, 0);
            long loaded = topology.buffer().getLong(topology.offset());
            try {
                require(calls, "hwloc_topology_set_io_types_filter", loaded, KEEP_IMPORTANT, 0);
                require(calls, "hwloc_topology_load", loaded, 0, 0);
                Native.Function export = calls.function("hwloc_topology_export_xmlbuffer");
                if ((int) calls.call(export, loaded, text.address(), length.address(), 0, 0, 0, 0) != 0) {
                    throw new IllegalStateException("hwloc_topology_export_xmlbuffer fails");
                }
                int bytes = length.buffer().getInt(length.offset());
                long address = text.buffer().getLong(text.offset());
                String xml = bytes <= LIMIT_BYTES ? Native.string(address, bytes) : null;
                calls.call(calls.function("hwloc_free_xmlbuffer"), loaded, address, 0);
                return xml;
            } finally {
                calls.call(calls.function("hwloc_topology_destroy"), loaded, 0, 0);
            }
        }
    }

    private static void require(Native calls, String function, long a, long b, long c) {
        if ((int) calls.call(calls.function(function), a, b, c) != 0) {
            throw new IllegalStateException(function + " fails");
        }
    }
}
