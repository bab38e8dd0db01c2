/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A port as UFM names it: {@code 248a070300fd6100_33}.
 *
 * @param guid of a switch the node's, of an adapter the port's; never 0
 * @param number as UFM counts: an adapter's second port may be the only one of a node of its own
 */
record PortId(long guid, int number) {
    private static final int GUID_DIGITS = 16;
    private static final int MAX_NUMBER_DIGITS = 5;

    /** {@code null} for what is no name of a port, {@code N/A} for one. */
    static @Nullable PortId parse(@Nullable String name) {
        int at = name == null ? -1 : name.lastIndexOf('_');
        if (name == null || at < 0) {
            return null;
        }
        long guid = guid(name.substring(0, at));
        int number = number(name.substring(at + 1));
        return guid == 0 || number < 0 ? null : new PortId(guid, number);
    }

    /** 0 for what is no GUID. */
    static long guid(String text) {
        if (text.length() == GUID_DIGITS) {
            long guid = 0;
            for (int i = 0; i < GUID_DIGITS; i++) {
                char c = text.charAt(i);
                int digit = c < 128 ? Character.digit(c, 16) : -1;
                if (digit < 0) {
                    return 0;
                }
                guid = guid << 4 | digit;
            }
            return guid;
        }
        String plain = NodeId.guid(text);
        return plain == null ? 0 : Long.parseUnsignedLong(plain, 16);
    }

    /** -1 for what is no number of a port. */
    static int number(String text) {
        if (text.isEmpty() || text.length() > MAX_NUMBER_DIGITS) {
            return -1;
        }
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number > PortNumbers.MAX ? -1 : number;
    }

    /** 16 lower-case hex digits. */
    static String text(long guid) {
        return HexFormat.of().toHexDigits(guid);
    }

    @Override
    public String toString() {
        return "port " + number + " of " + text(guid);
    }
}
