/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/** Counts the lines of a text that is read through it. */
public final class CountedText extends FilterReader {
    private int ends;

    public CountedText(Reader text) {
        super(text);
    }

    /** Lines that have begun, up to 2^31 - 1. */
    public int lines() {
        return ends < Integer.MAX_VALUE ? ends + 1 : ends;
    }

    @Override
    public int read() throws IOException {
        int c = super.read();
        count(c);
        return c;
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        for (int i = offset; i < offset + count; i++) {
            count(into[i]);
        }
        return count;
    }

    private void count(int c) {
        ends += c == '\n' && ends < Integer.MAX_VALUE ? 1 : 0;
    }
}
