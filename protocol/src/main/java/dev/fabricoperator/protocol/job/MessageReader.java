/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what {@link MessageWriter} wrote, from anybody: nothing is allocated for a number that the bytes left cannot hold,
 * so that memory and time are linear in the length of the message.
 */
final class MessageReader {
    private static final int BYTE = 0xff;
    private static final int SEVEN_BITS = 0x7f;
    private static final int MORE = 0x80;
    private static final int LONGEST_SHIFT = 63;

    private final byte[] bytes;
    private int at;

    MessageReader(byte[] bytes, int from) {
        this.bytes = bytes;
        this.at = from;
    }

    int left() {
        return bytes.length - at;
    }

    int at() {
        return at;
    }

    int readByte() throws JobCodecException {
        need(1);
        return bytes[at++] & BYTE;
    }

    int readShort() throws JobCodecException {
        need(2);
        return readByte() << 8 | readByte();
    }

    int readInt() throws JobCodecException {
        need(4);
        return readShort() << 16 | readShort();
    }

    /** At most {@code Long.MAX_VALUE}. */
    long readLong() throws JobCodecException {
        long value = 0;
        for (int shift = 0; shift < LONGEST_SHIFT; shift += 7) {
            int next = readByte();
            value |= (long) (next & SEVEN_BITS) << shift;
            if ((next & MORE) == 0) {
                return value;
            }
        }
        throw new JobCodecException("a number of more than 63 bits before byte " + at);
    }

    /** What {@link MessageWriter#writeSigned} wrote. */
    long readSigned() throws JobCodecException {
        long value = 0;
        for (int shift = 0; shift <= LONGEST_SHIFT; shift += 7) {
            int next = readByte();
            value |= (long) (next & SEVEN_BITS) << shift;
            if ((next & MORE) == 0) {
                return value >>> 1 ^ -(value & 1);
            }
        }
        throw new JobCodecException("a number of more than 64 bits before byte " + at);
    }

    /** A number from 0 to {@code maximum}. */
    int readNumber(String what, int maximum) throws JobCodecException {
        long value = readLong();
        if (value > maximum) {
            throw new JobCodecException(what + " is " + value + ", more than " + maximum);
        }
        return (int) value;
    }

    /** How many elements follow, each of which takes at least {@code bytesEach} bytes. */
    int readCount(String what, int bytesEach) throws JobCodecException {
        long count = readLong();
        if (count > left() / bytesEach) {
            throw new JobCodecException(count + " " + what + " cannot be in the " + left() + " bytes that are left");
        }
        return (int) count;
    }

    byte[] readBytes(int count) throws JobCodecException {
        need(count);
        at += count;
        return Arrays.copyOfRange(bytes, at - count, at);
    }

    byte[] readCounted(String what) throws JobCodecException {
        return readBytes(readCount("bytes of " + what, 1));
    }

    String readText(String what) throws JobCodecException {
        int count = readCount("bytes of " + what, 1);
        at += count;
        return new String(bytes, at - count, count, StandardCharsets.UTF_8);
    }

    /** 4 or 16 bytes, after their number. */
    byte[] readAddress(String what) throws JobCodecException {
        byte[] address = readCounted(what);
        if (address.length != 4 && address.length != 16) {
            throw new JobCodecException(what + " has " + address.length + " bytes, not 4 or 16");
        }
        return address;
    }

    void end() throws JobCodecException {
        if (left() > 0) {
            throw new JobCodecException(left() + " bytes follow the end of the message");
        }
    }

    private void need(int count) throws JobCodecException {
        if (count > left()) {
            throw new JobCodecException(
                    "the message ends at byte " + bytes.length + ", where " + (count - left()) + " more are wanted");
        }
    }
}
