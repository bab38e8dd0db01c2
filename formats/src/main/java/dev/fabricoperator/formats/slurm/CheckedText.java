/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the lines of a text for a parser that looks ahead without a bound and copies what it has seen, so that the parser's
 * work is in proportion to the text. Binary data is an error.
 */
final class CheckedText extends Reader {
    private static final int MAX_LINE = 1 << 20;

    private final String file;
    private final Reader text;
    private int line = 1;
    private int column;
    private @Nullable BadInputException wrong;

    CheckedText(String file, Reader text) {
        this.file = file;
        this.text = text;
    }

    /** The line that reading has come to, from 1. */
    int line() {
        return line;
    }

    /** What was wrong with the text when reading it ended in an exception, if it was the text. */
    void rethrow() throws BadInputException {
        if (wrong != null) {
            throw wrong;
        }
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
        int count = text.read(into, offset, length);
        for (int i = offset; i < offset + count; i++) {
            char c = into[i];
            if (c == '\n') {
                line++;
                column = 0;
            } else if (c == 0) {
                throw refuse("binary data where topology.yaml text is expected");
            } else if (++column > MAX_LINE) {
                throw refuse("line of more than " + MAX_LINE + " characters");
            }
        }
        return count;
    }

    private IOException refuse(String why) {
        wrong = new BadInputException(file, line, why);
        return new IOException(why);
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
