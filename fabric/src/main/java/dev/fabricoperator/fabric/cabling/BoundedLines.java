/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.io.IOException;
import java.io.Reader;
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
    private static final int LEAST_BUFFER = 1 << 15;

    private final String file;
    private final Reader text;
    private final String kind;
    private final int maxLength;
    private final char[] buffer;
    private int from;
    private int to;
    /** Where the next line begins, and where what has been read of the text ends. */
    private int position;

    private int limit;
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
        // A line that the buffer ends within is moved to its beginning: that must be the exception.
        buffer = new char[Math.max(LEAST_BUFFER, 2 * (maxLength + 2))];
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
        int at = from;
        while (true) {
            char[] characters = buffer;
            int last = Math.min(limit, from + maxLength);
            while (at < last && (characters[at] > '\n' || characters[at] != 0 && characters[at] != '\n')) {
                at++;
            }
            if (at < limit) {
                if (characters[at] == '\n') {
                    position = at + 1;
                    to = at > from && characters[at - 1] == '\r' ? at - 1 : at;
                    return true;
                }
                throw bad(
                        characters[at] == 0
                                ? "binary data where " + kind + " text is expected"
                                : "line of more than " + maxLength + " characters");
            }
            int read = at - from;
            position = at;
            boolean more = fill();
            at = from + read;
            if (!more) {
                return end(at);
            }
        }
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
        int count = text.read(buffer, limit, buffer.length - limit);
        limit += Math.max(count, 0);
        return count > 0;
    }

    /** What holds the line, and others. Not to be written to. */
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
