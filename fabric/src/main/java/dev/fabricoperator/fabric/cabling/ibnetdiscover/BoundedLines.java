/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Lines of a text one at a time, none longer than {@link #MAX_LENGTH}, so that no input can fill the memory. */
final class BoundedLines {
    /** A port line holds two GUIDs and a node description of at most 64 bytes; a name map may lengthen that. */
    static final int MAX_LENGTH = 8192;

    private final String file;
    private final Reader text;
    private final char[] buffer = new char[16384];
    private final StringBuilder line = new StringBuilder();
    private int position;
    private int limit;
    private int number;
    private boolean terminated = true;

    BoundedLines(String file, Reader text) {
        this.file = file;
        this.text = text;
    }

    /** The next line without its end, or {@code null} after the last one. */
    @Nullable
    String next() throws IOException, BadInputException {
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
                throw bad("binary data where ibnetdiscover text is expected");
            }
            if (line.length() == MAX_LENGTH) {
                throw bad("line of more than " + MAX_LENGTH + " characters");
            }
            line.append(c);
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
    int number() {
        return Math.max(number, 1);
    }

    /** Whether the line returned last ended in a line feed: one that does not may have been cut. */
    boolean terminated() {
        return terminated;
    }

    BadInputException bad(String wrong) {
        return new BadInputException(file, number(), wrong);
    }
}
