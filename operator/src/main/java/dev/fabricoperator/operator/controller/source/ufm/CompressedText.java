/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A long text, kept compressed: what appliances say of a port is a kilobyte, most of it the same for all. */
public final class CompressedText {
    private static final int BUFFER = 1 << 16;

    private final Bytes compressed = new Bytes();
    private final long limit;

    CompressedText(long limit) {
        this.limit = limit;
    }

    /** Read where they are: a copy would take as much again. */
    private static final class Bytes extends ByteArrayOutputStream {
        InputStream open() {
            return new ByteArrayInputStream(buf, 0, count);
        }
    }

    OutputStream output() throws IOException {
        return new GZIPOutputStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        checkLength(1);
                        compressed.write(b);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        checkLength(length);
                        compressed.write(bytes, offset, length);
                    }
                },
                BUFFER);
    }

    private void checkLength(int length) throws UfmException {
        if (compressed.size() + (long) length > limit) {
            throw new UfmException(
                    UfmException.Kind.Unreadable, "the answers are larger than " + limit + " bytes when compressed");
        }
    }

    /** The text from its beginning. */
    public Reader open() throws IOException {
        return new InputStreamReader(new GZIPInputStream(compressed.open(), BUFFER), StandardCharsets.UTF_8);
    }
}
