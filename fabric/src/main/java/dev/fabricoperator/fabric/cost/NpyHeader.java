/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What stands before the numbers in NumPy's file format: little-endian unsigned 16 bit, C order.
 *
 * @see "NumPy Enhancement Proposal 1, format version 1.0"
 */
public final class NpyHeader {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    private static final int LENGTH_BYTES = 2;
    private static final int ALIGNMENT = 64;

    private NpyHeader() {}

    /** Of a matrix. */
    public static byte[] of(int rows, int columns) {
        return of("(" + rows + ", " + columns + ")");
    }

    /** Of one row. */
    public static byte[] of(int length) {
        return of("(" + length + ",)");
    }

    private static byte[] of(String shape) {
        String description = "{'descr': '<u2', 'fortran_order': False, 'shape': " + shape + ", }";
        int unpadded = MAGIC.length + LENGTH_BYTES + description.length() + 1;
        int padding = Math.floorMod(-unpadded, ALIGNMENT);
        String text = description + " ".repeat(padding) + "\n";
        return ByteBuffer.allocate(unpadded + padding)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC)
                .putShort((short) text.length())
                .put(text.getBytes(StandardCharsets.US_ASCII))
                .array();
    }
}
