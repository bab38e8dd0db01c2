/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import java.nio.charset.StandardCharsets;

/** GUIDs as numbers, 0 for none, and as the 16 lower-case hex digits that they are written with. */
final class Guid {
    private static final int DIGITS = 16;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    private Guid() {}

    static String text(long guid) {
        byte[] digits = new byte[DIGITS];
        long rest = guid;
        for (int i = DIGITS - 1; i >= 0; i--) {
            digits[i] = HEX[(int) rest & 15];
            rest >>>= 4;
        }
        return new String(digits, StandardCharsets.ISO_8859_1);
    }
}
