/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * A place in one line. Every step looks at a character once, so a line costs time in proportion to its length; nothing is
 * copied but what is asked for as text. One cursor serves all lines of a dump.
 */
public final class Cursor {
    private static final byte[] HEX = hexValues();
    private static final int MAX_DIGITS = 9;
    private static final int GUID_DIGITS = 16;

    private char[] text = new char[0];
    private int at;
    private int end;
    private long guid;

    /** Goes to the beginning of the line that stands from {@code from} to {@code to} exclusive. */
    public void reset(char[] characters, int from, int to) {
        text = characters;
        at = from;
        end = to;
    }

    public boolean atEnd() {
        return at == end;
    }

    public void skipBlanks() {
        char[] characters = text;
        int here = at;
        while (here < end && isBlank(characters[here])) {
            here++;
        }
        at = here;
    }

    /** Consumes {@code word} where it stands here. */
    public boolean take(String word) {
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
    public boolean take(char c) {
        if (at == end || text[at] != c) {
            return false;
        }
        at++;
        return true;
    }

    /** Consumes everything up to the next {@code c} and that; false, and nothing is consumed, where there is none. */
    public boolean takeThrough(char c) {
        for (int i = at; i < end; i++) {
            if (text[i] == c) {
                at = i + 1;
                return true;
            }
        }
        return false;
    }

    /** The character {@code ahead} of here; 0 behind the end of the line. */
    public char peek(int ahead) {
        return at + ahead < end ? text[at + ahead] : 0;
    }

    public void skip(int count) {
        at += count;
    }

    /** A decimal number of at most nine digits; -1 where there is none. */
    public int number() {
        char[] characters = text;
        int here = at;
        int last = Math.min(end, here + MAX_DIGITS);
        int value = 0;
        while (here < last && isDigit(characters[here])) {
            value = value * 10 + (characters[here++] - '0');
        }
        if (here == at || here < end && isDigit(characters[here])) {
            return -1;
        }
        at = here;
        return value;
    }

    /** Consumes a GUID of 1 to 16 hex digits, then to be had from {@link #lastGuid}; false where there is none. */
    public boolean guid() {
        char[] characters = text;
        byte[] hex = HEX;
        int here = at;
        // One character more than there may be, to see that there are not more.
        int last = Math.min(end, here + GUID_DIGITS + 1);
        long value = 0;
        while (here < last) {
            char c = characters[here];
            int digit = c < hex.length ? hex[c] : -1;
            if (digit < 0) {
                break;
            }
            value = value << 4 | digit;
            here++;
        }
        if (here == at || here - at > GUID_DIGITS) {
            return false;
        }
        at = here;
        guid = value;
        return true;
    }

    /** What {@link #guid} consumed last. */
    public long lastGuid() {
        return guid;
    }

    /** Skips {@code [ext 5]}, which {@code ibnetdiscover --grouping} adds behind the ports of modular switches. */
    public void skipExternalPort() {
        if (peek(0) == '[' && peek(1) == 'e' && take("[ext ") && !takeThrough(']')) {
            at = end;
        }
    }

    /**
     * Text between the next double quote and the last one of the line: descriptions may hold quotes themselves, and
     * nothing that is printed behind them does. {@code null} where there are not two.
     */
    @Nullable
    public String quotedToLast() {
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
    public boolean skipQuoted() {
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
        char[] characters = text;
        int first = at;
        int last = end - 1;
        while (last >= first && characters[last] != '"') {
            last--;
        }
        return last;
    }

    /** Consumes the next word, then to be had from {@link #wordIs} and {@link #wordText}; its length, 0 at the end. */
    public int word() {
        skipBlanks();
        char[] characters = text;
        int from = at;
        int here = from;
        while (here < end && !isBlank(characters[here])) {
            here++;
        }
        at = here;
        return here - from;
    }

    /** Whether the word of {@code length} before here is {@code word}. */
    public boolean wordIs(int length, String word) {
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
    public String wordText(int length) {
        return new String(text, at - length, length);
    }

    /** The rest of the line, which is not consumed. */
    public String rest() {
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
