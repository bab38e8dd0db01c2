/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import org.jspecify.annotations.Nullable;

/**
 * A place in one line. Every step looks at a character once, so a line costs time in proportion to its length; nothing is
 * copied but what is asked for as text. One cursor serves all lines of a dump.
 */
final class Cursor {
    private static final byte[] HEX = hexValues();

    private char[] text = new char[0];
    private int at;
    private int end;
    private long guid;

    /** Goes to the beginning of the line that stands from {@code from} to {@code to} exclusive. */
    void reset(char[] characters, int from, int to) {
        text = characters;
        at = from;
        end = to;
    }

    boolean atEnd() {
        return at == end;
    }

    void skipBlanks() {
        while (at < end && isBlank(text[at])) {
            at++;
        }
    }

    /** Consumes {@code word} where it stands here. */
    boolean take(String word) {
        int length = word.length();
        if (end - at < length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text[at + i] != word.charAt(i)) {
                return false;
            }
        }
        at += length;
        return true;
    }

    /** Consumes {@code c} where it stands here. */
    boolean take(char c) {
        if (at == end || text[at] != c) {
            return false;
        }
        at++;
        return true;
    }

    /** Consumes everything up to the next {@code c} and that; false, and nothing is consumed, where there is none. */
    boolean takeThrough(char c) {
        for (int i = at; i < end; i++) {
            if (text[i] == c) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /** The character {@code ahead} of here; 0 behind the end of the line. */
    char peek(int ahead) {
        return at + ahead < end ? text[at + ahead] : 0;
    }

    void skip(int count) {
        at += count;
    }

    /** A decimal number of at most nine digits; -1 where there is none. */
    int number() {
        int from = at;
        int value = 0;
        while (at < end && at - from < 9 && isDigit(text[at])) {
            value = value * 10 + (text[at++] - '0');
        }
        if (at == from || at < end && isDigit(text[at])) {
            at = from;
            return -1;
        }
        return value;
    }

    /** Consumes a GUID of 1 to 16 hex digits, then to be had from {@link #lastGuid}; false where there is none. */
    boolean guid() {
        int from = at;
        long value = 0;
        while (at < end && text[at] < 128 && HEX[text[at]] >= 0) {
            value = value << 4 | HEX[text[at++]];
        }
        if (at == from || at - from > 16) {
            at = from;
            return false;
        }
        guid = value;
        return true;
    }

    /** What {@link #guid} consumed last. */
    long lastGuid() {
        return guid;
    }

    /** Skips {@code [ext 5]}, which {@code ibnetdiscover --grouping} adds behind the ports of modular switches. */
    void skipExternalPort() {
        if (peek(0) == '[' && peek(1) == 'e' && take("[ext ") && !takeThrough(']')) {
            at = end;
        }
    }

    /**
     * Text between the next double quote and the last one of the line: descriptions may hold quotes themselves, and
     * nothing that is printed behind them does. {@code null} where there are not two.
     */
    @Nullable
    String quotedToLast() {
        int first = at;
        while (first < end && text[first] != '"') {
            first++;
        }
        int last = lastQuote();
        if (last <= first) {
            return null;
        }
        at = last + 1;
        return new String(text, first + 1, last - first - 1);
    }

    /** Skips such a text where there is one; false where it is not closed. */
    boolean skipQuoted() {
        int last = lastQuote();
        int first = at;
        while (first <= last && text[first] != '"') {
            first++;
        }
        if (first > last) {
            return true;
        }
        at = last + 1;
        return first < last;
    }

    /** Before {@link #at} where there is none. */
    private int lastQuote() {
        int last = end - 1;
        while (last >= at && text[last] != '"') {
            last--;
        }
        return last;
    }

    /** Consumes the next word, then to be had from {@link #wordIs} and {@link #wordText}; its length, 0 at the end. */
    int word() {
        skipBlanks();
        int from = at;
        while (at < end && !isBlank(text[at])) {
            at++;
        }
        return at - from;
    }

    /** Whether the word of {@code length} before here is {@code word}. */
    boolean wordIs(int length, String word) {
        if (length != word.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text[at - length + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The word of {@code length} before here. */
    String wordText(int length) {
        return new String(text, at - length, length);
    }

    /** The rest of the line, which is not consumed. */
    String rest() {
        return new String(text, at, end - at);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static byte[] hexValues() {
        byte[] values = new byte[128];
        for (int c = 0; c < values.length; c++) {
            values[c] = (byte) Character.digit(c, 16);
        }
        return values;
    }
}
