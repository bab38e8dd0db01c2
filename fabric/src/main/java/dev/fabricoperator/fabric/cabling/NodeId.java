/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How sources spell the id of a switch or device, and the one spelling that this project uses: a node GUID as 16
 * lower-case hex digits, else a MAC in lower case with colons, else the name in lower case.
 */
public final class NodeId {
    private static final int GUID_DIGITS = 16;
    private static final int MAC_DIGITS = 12;

    /** Bound of {@code FabricSwitch.spec.id}. */
    public static final int MAX_LENGTH = 253;

    private NodeId() {}

    /** The one spelling of {@code text}, whose ends are free of blanks. */
    public static String of(String text) {
        String guid = guid(text);
        String mac = guid == null ? mac(text) : null;
        return guid != null ? guid : mac != null ? mac : text.toLowerCase(Locale.ROOT);
    }

    /** Whether {@code id} can stand for a node: not empty, not too long, printable, without blanks. */
    public static boolean isUsable(String id) {
        if (id.isEmpty() || id.length() > MAX_LENGTH) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (Character.isWhitespace(c) || Character.isISOControl(c) || c == '\u00a0' || c == '\ufeff') {
                return false;
            }
        }
        return true;
    }

    /**
     * A GUID in any spelling in use: {@code 0x} before it, or colons between groups of two or four digits; also with
     * the {@code S-} or {@code H-} that InfiniBand tools put before it. {@code null} for what is none, and for zero.
     */
    public static @Nullable String guid(String text) {
        if (value(text) != 0) {
            return text;
        }
        String digits = text;
        if (digits.length() == GUID_DIGITS + 2
                && (digits.startsWith("0x") || digits.startsWith("0X") || isMarked(digits))) {
            digits = digits.substring(2);
        }
        String plain = hex(digits, GUID_DIGITS, ':', ':');
        return plain == null || plain.equals("0".repeat(GUID_DIGITS)) ? null : plain;
    }

    /** The value of a GUID that is spelt as it shall be, whose unsigned order is that of the texts; 0 for any other text. */
    public static long value(String text) {
        if (text.length() != GUID_DIGITS) {
            return 0;
        }
        long value = 0;
        for (int i = 0; i < GUID_DIGITS; i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                value = value << 4 | c - '0';
            } else if (c >= 'a' && c <= 'f') {
                value = value << 4 | c - 'a' + 10;
            } else {
                return 0;
            }
        }
        return value;
    }

    private static boolean isMarked(String text) {
        return text.charAt(1) == '-' && (text.charAt(0) == 'S' || text.charAt(0) == 'H');
    }

    /** A MAC with colons, hyphens or dots; {@code null} for what is none. */
    public static @Nullable String mac(String text) {
        if (text.length() == MAC_DIGITS) {
            // Twelve hex digits without anything between them may as well be a serial number.
            return null;
        }
        String plain = hex(text, MAC_DIGITS, ':', '-');
        if (plain == null) {
            plain = hex(text, MAC_DIGITS, '.', '.');
        }
        if (plain == null) {
            return null;
        }
        StringBuilder mac = new StringBuilder(17);
        for (int i = 0; i < MAC_DIGITS; i += 2) {
            mac.append(i == 0 ? "" : ":").append(plain, i, i + 2);
        }
        return mac.toString();
    }

    /** Hex digits in groups of equal, even length; {@code null} for anything else. */
    private static @Nullable String hex(String text, int count, char separator, char other) {
        if (text.length() < count || text.length() > count + count / 2 - 1) {
            return null;
        }
        StringBuilder digits = new StringBuilder(count);
        int group = 0;
        int groupLength = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == separator || c == other) {
                groupLength = groupLength == 0 ? group : groupLength;
                if (group != groupLength || group % 2 != 0 || group == 0) {
                    return null;
                }
                group = 0;
            } else if (c < 128 && Character.digit(c, 16) >= 0) {
                digits.append(Character.toLowerCase(c));
                group++;
            } else {
                return null;
            }
        }
        return digits.length() == count && (groupLength == 0 || group == groupLength) ? digits.toString() : null;
    }
}
