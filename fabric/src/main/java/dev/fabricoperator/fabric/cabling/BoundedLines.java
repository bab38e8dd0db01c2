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
 */
public final class BoundedLines {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final String file;
    private final Reader text;
    private final String kind;
    private final int maxLength;
    private final char[] buffer = new char[16384];
    private final StringBuilder line = new StringBuilder();
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
    }

    /** The next line without its end, or {@code null} after the last one. */
    public @Nullable String next() throws IOException, BadInputException {
        line.setLength(0);
        boolean any = false;
        while (true) {
            if (position == limit) {
                limit = text.read(buffer, 0, buffer.length);
                position = 0;
                if (limit <= 0) {
                    limit = 0;
                    if (!any) {
                        return null;
                    }
                    terminated = false;
                    return take();
                }
            }
            if (!any) {
                any = true;
                number++;
            }
            char c = buffer[position++];
            if (c == '\n') {
                return take();
            }
            if (c == 0) {
                throw bad("binary data where " + kind + " text is expected");
            }
            if (line.length() == maxLength) {
                throw bad("line of more than " + maxLength + " characters");
            }
            if (c != BYTE_ORDER_MARK || number > 1 || !line.isEmpty()) {
                line.append(c);
            }
        }
    }

    private String take() {
        int length = line.length();
        if (length > 0 && line.charAt(length - 1) == '\r') {
            line.setLength(length - 1);
        }
        return line.toString();
    }

    /** Number of the line returned last, from 1; 1 before the first, for a message about an empty text. */
    public int number() {
        return Math.max(number, 1);
    }

    /** Whether the line returned last ended in a line feed: one that does not may have been cut. */
    public boolean terminated() {
        return terminated;
    }

    /** What is wrong with the line returned last. */
    public BadInputException bad(String wrong) {
        return new BadInputException(file, number(), wrong);
    }
}
