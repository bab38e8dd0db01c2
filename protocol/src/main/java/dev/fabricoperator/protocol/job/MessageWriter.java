/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of a message in the making. Numbers are big-endian, or variable: seven bits a byte, the lowest first. */
final class MessageWriter {
    private static final int FIRST_SIZE = 1024;
    private static final long SEVEN_BITS = 0x7f;
    private static final int MORE = 0x80;

    private byte[] bytes = new byte[FIRST_SIZE];
    private int length;

    void writeByte(int value) {
        room(1);
        bytes[length++] = (byte) value;
    }

    void writeShort(int value) {
        writeByte(value >> 8);
        writeByte(value);
    }

    void writeInt(int value) {
        writeShort(value >> 16);
        writeShort(value);
    }

    /** A number that is never negative, in one byte up to 127. */
    void writeCount(long value) {
        if (value < 0) {
            throw new IllegalArgumentException(value + " is negative");
        }
        long rest = value;
        while (rest > SEVEN_BITS) {
            writeByte((int) (rest & SEVEN_BITS) | MORE);
            rest >>>= 7;
        }
        writeByte((int) rest);
    }

    /** A number that may be negative: 0, -1, 1, -2 become 0, 1, 2, 3; in 64 bits, hence not {@link #writeCount}'s range. */
    void writeSigned(long value) {
        long rest = value << 1 ^ value >> 63;
        while ((rest & ~SEVEN_BITS) != 0) {
            writeByte((int) (rest & SEVEN_BITS) | MORE);
            rest >>>= 7;
        }
        writeByte((int) rest);
    }

    void writeBytes(byte[] value) {
        writeBytes(value, value.length);
    }

    void writeBytes(byte[] value, int count) {
        room(count);
        System.arraycopy(value, 0, bytes, length, count);
        length += count;
    }

    /** The number of bytes, then the bytes. */
    void writeCounted(byte[] value) {
        writeCount(value.length);
        writeBytes(value);
    }

    void writeText(String value) {
        writeCounted(value.getBytes(StandardCharsets.UTF_8));
    }

    void writeAll(MessageWriter other) {
        writeBytes(other.bytes, other.length);
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void room(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
