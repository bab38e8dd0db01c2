/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Bytes and time that all answers of an appliance share. */
final class ReadLimit {
    private final long allowed;
    private final Duration whole;
    private final long deadline;
    private long left;

    ReadLimit(long bytes, Duration whole) {
        this.allowed = bytes;
        this.whole = whole;
        this.left = bytes;
        this.deadline = System.nanoTime() + whole.toNanos();
    }

    /** {@code in}, ending in an exception where the limit does. */
    InputStream bound(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int value = super.read();
                spend(value < 0 ? 0 : 1);
                return value;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int read = super.read(into, offset, length);
                spend(Math.max(0, read));
                return read;
            }
        };
    }

    private void spend(int bytes) throws UfmException {
        left -= bytes;
        if (left < 0) {
            throw new UfmException(UfmException.Kind.Unreadable, "the answers are larger than " + allowed + " bytes");
        }
        if (System.nanoTime() - deadline > 0) {
            throw new UfmException(UfmException.Kind.Unreachable, "the answers took longer than " + whole);
        }
    }
}
