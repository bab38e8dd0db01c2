/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a text one at a time, none longer than a bound, so that no input can fill the memory. A byte order mark is
 * no part of the first line, a carriage return none of any.
 *
 * <p>A line is the characters {@code from()} to {@code to()} exclusive of {@code characters()}, until the next one is
 * asked for; {@link #next} makes a string of it.
 */
public final class BoundedLines {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /** Of what most texts fill; a longer text, or a longer line, makes it grow. */
    private static final int FIRST_BUFFER = 1 << 12;

    private static final int LEAST_BUFFER = 1 << 15;

    private final String file;
    private final Reader text;
    private final String kind;
    private final int maxLength;
    private char[] buffer;
    private int from;
    private int to;
    /** Where the next line begins, and where what has been read of the text ends. */
    private int position;

    private int limit;

    /** The buffer up to the limit, and the first zero in it, -1 without. */
    private String searched = "";

    private int zero = -1;
    private int number;
    private boolean terminated = true;

    /**
     * @param file what to call the text in messages
     * @param kind what the text should be, for a message about binary data
     * @param maxLength characters of the longest line
     */
    public BoundedLines(String file, Reader text, String kind, int maxLength) {
        this.file = file;
        this.text = text;
        this.kind = kind;
        this.maxLength = maxLength;
        buffer = new char[FIRST_BUFFER];
    }

    /** The next line without its end, or {@code null} after the last one. */
    public @Nullable String next() throws IOException, BadInputException {
        return advance() ? new String(buffer, from, to - from) : null;
    }

    /** Goes to the next line; false after the last one. */
    public boolean advance() throws IOException, BadInputException {
        from = position;
        if (position == limit && !fill()) {
            return false;
        }
        number++;
        while (number == 1 && buffer[from] == BYTE_ORDER_MARK) {
            from++;
            if (from == limit) {
                position = from;
                if (!fill()) {
                    return end(from);
                }
            }
        }
        while (true) {
            int at = endOfLine();
            if (at < limit) {
                if (buffer[at] == '\n') {
                    position = at + 1;
                    to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
                    return true;
                }
                throw bad(
                        buffer[at] == 0
                                ? "binary data where " + kind + " text is expected"
                                : "line of more than " + maxLength + " characters");
            }
            position = at;
            if (!fill()) {
                return end(limit);
            }
        }
    }

    /** The next line feed or zero, the first character too many, or the limit, whichever comes first. */
    private int endOfLine() {
        int most = Math.min(limit, from + maxLength);
        int feed = searched.indexOf('\n', from);
        int at = Math.min(feed < 0 ? limit : feed, most);
        return zero >= from && zero < at ? zero : at;
    }

    /** The text ends at {@code at}, behind the last line feed: what is before it may have been cut. */
    private boolean end(int at) {
        terminated = false;
        position = at;
        to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
        return true;
    }

    /** Reads on behind what the current line has so far, which moves to the beginning; false where the text ends. */
    private boolean fill() throws IOException {
        if (from > 0) {
            System.arraycopy(buffer, from, buffer, 0, limit - from);
            limit -= from;
            position -= from;
            from = 0;
        }
        grow();
        // At least as much again: what is there is searched once more, which must not be done for each character that
        // comes.
        int before = limit;
        int count = text.read(buffer, limit, buffer.length - limit);
        while (count > 0) {
            limit += count;
            count = limit < 2 * before ? text.read(buffer, limit, buffer.length - limit) : 0;
        }
        // Strings are searched many characters at a time, arrays one by one.
        searched = new String(buffer, 0, limit);
        zero = searched.indexOf(0);
        return limit > before;
    }

    /**
     * As far as the text has shown a need: {@value #LEAST_BUFFER} characters for one that has filled the buffer, and twice what it
     * has of the line. A line that the buffer ends within is moved to its beginning, which must be the exception.
     */
    private void grow() {
        boolean filled = searched.length() == buffer.length;
        int wanted = Math.max(filled ? LEAST_BUFFER : FIRST_BUFFER, 2 * limit);
        if (wanted > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.min(wanted, Math.max(LEAST_BUFFER, 2 * (maxLength + 2))));
        }
    }

    /** What holds the line, and others, until the next one is asked for. Not to be written to. */
    public char[] characters() {
        return buffer;
    }

    /** First character of the line. */
    public int from() {
        return from;
    }

    /** Behind the last character of the line. */
    public int to() {
        return to;
    }

    /** Number of the line that was gone to last, from 1; 1 before the first, for a message about an empty text. */
    public int number() {
        return Math.max(number, 1);
    }

    /** Whether the line that was gone to last ended in a line feed: one that does not may have been cut. */
    public boolean terminated() {
        return terminated;
    }

    /** What is wrong with the line that was gone to last. */
    public BadInputException bad(String wrong) {
        return new BadInputException(file, number(), wrong);
    }
}
