/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import org.jspecify.annotations.Nullable;

/** A place in one line. Every step looks at a character once, so a line costs time in proportion to its length. */
final class Cursor {
    private final String line;
    private int at;

    Cursor(String line) {
        this.line = line;
    }

    boolean atEnd() {
        return at == line.length();
    }

    void skipBlanks() {
        while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
            at++;
        }
    }

    /** Consumes {@code text} where it stands here. */
    boolean take(String text) {
        if (!line.startsWith(text, at)) {
            return false;
        }
        at += text.length();
        return true;
    }

    /** A decimal number of at most nine digits; -1 where there is none. */
    int number() {
        int from = at;
        int value = 0;
        while (at < line.length() && at - from < 9 && isDigit(line.charAt(at))) {
            value = value * 10 + (line.charAt(at++) - '0');
        }
        if (at == from || at < line.length() && isDigit(line.charAt(at))) {
            at = from;
            return -1;
        }
        return value;
    }

    /** A GUID of 1 to 16 hex digits as 16 lower-case ones; {@code null} where there is none. */
    @Nullable
    String guid() {
        int from = at;
        while (at < line.length() && Character.digit(line.charAt(at), 16) >= 0 && line.charAt(at) < 128) {
            at++;
        }
        int length = at - from;
        if (length == 0 || length > 16) {
            at = from;
            return null;
        }
        return "0".repeat(16 - length) + lowerCase(line.substring(from, at));
    }

    /** Skips {@code [ext 5]}, which {@code ibnetdiscover --grouping} adds behind the ports of modular switches. */
    void skipExternalPort() {
        if (line.startsWith("[ext ", at)) {
            int end = line.indexOf(']', at);
            at = end < 0 ? line.length() : end + 1;
        }
    }

    /**
     * Text between the next double quote and the last one of the line: descriptions may hold quotes themselves, and
     * nothing that is printed behind them does. {@code null} where there are not two.
     */
    @Nullable
    String quotedToLast() {
        int first = line.indexOf('"', at);
        int last = line.lastIndexOf('"');
        if (first < 0 || last <= first) {
            return null;
        }
        at = last + 1;
        return line.substring(first + 1, last);
    }

    /** Skips such a text where there is one; false where it is not closed. */
    boolean skipQuoted() {
        return line.indexOf('"', at) < 0 || quotedToLast() != null;
    }

    /** The next word; empty at the end of the line. */
    String word() {
        skipBlanks();
        int from = at;
        while (at < line.length() && line.charAt(at) != ' ' && line.charAt(at) != '\t') {
            at++;
        }
        return line.substring(from, at);
    }

    static String lowerCase(String hex) {
        for (int i = 0; i < hex.length(); i++) {
            char c = hex.charAt(i);
            if (c >= 'A' && c <= 'F') {
                return hex.toLowerCase(java.util.Locale.ROOT);
            }
        }
        return hex;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
