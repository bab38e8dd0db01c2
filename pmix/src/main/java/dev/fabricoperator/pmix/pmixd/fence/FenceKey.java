/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.openssl.Crypto;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Names one fence among all of a job: who takes part, and how many fences the same processes have entered before. Every pod
 * counts for itself and comes to the same, since a process enters the collectives of one set of participants in one order.
 * A collective with a name of its own (a group's, "connect") is counted apart from the fences of the same processes.
 *
 * @param high first 8 bytes of the SHA-256 of the name and the participants' ranks, ascending, 4 bytes each
 * @param low next 8 bytes; the last bit is 1 where there is a name
 */
record FenceKey(long high, long low, long counter) {
    /**
     * @param name empty for a fence
     * @param ranks ascending, each once
     */
    static FenceKey of(byte[] name, int[] ranks, long counter) {
        ByteBuffer bytes = ByteBuffer.allocate(name.length + Integer.BYTES * ranks.length);
        bytes.put(name).asIntBuffer().put(ranks);
        ByteBuffer digest = ByteBuffer.wrap(Crypto.sha256(bytes.array()));
        return new FenceKey(digest.getLong(), digest.getLong() & ~1L | (name.length == 0 ? 0 : 1), counter);
    }

    boolean isNamed() {
        return (low & 1) != 0;
    }

    /** Written out, as {@link #hashCode}: those of a record are put together at first use, which delays the first fence. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FenceKey key && key.high == high && key.low == low && key.counter == counter;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high) + 31 * Long.hashCode(counter);
    }

    FenceKey withCounter(long newCounter) {
        return new FenceKey(high, low, newCounter);
    }
}
