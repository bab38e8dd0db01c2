/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZIOException;
import org.tukaani.xz.XZInputStream;

/**
 * The text of a source: plain, gzip or xz in UTF-8, told apart by the first bytes and never by a name. Knows the line that it
 * has come to, so that a damaged archive can be named by place. Ends with an exception after {@value #MAXIMUM_BYTES} bytes.
 */
public final class PackedText extends Reader {
    /** Ten times the largest fabric that is known of; what unpacks to more is a mistake or a bomb. */
    public static final long MAXIMUM_BYTES = 1L << 30;

    private static final int XZ_MEMORY_KIB = 128 * 1024;
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};
    private static final byte[] XZ = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0};
    private static final int BUFFER_BYTES = 1 << 16;

    private final InputStream plain;
    private final Reader text;
    private int line = 1;

    private PackedText(InputStream plain) {
        this.plain = plain;
        this.text = new InputStreamReader(plain, StandardCharsets.UTF_8);
    }

    /**
     * @param raw closed with the text
     * @param copy gets every byte of the unpacked text that is read
     * @throws IOException if an archive's header is damaged
     */
    public static PackedText open(InputStream raw, OutputStream copy) throws IOException {
        return new PackedText(new WatchedInputStream(unpacked(raw), copy));
    }

    private static InputStream unpacked(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BUFFER_BYTES);
        in.mark(XZ.length);
        byte[] start = in.readNBytes(XZ.length);
        in.reset();
        if (startsWith(start, GZIP)) {
            return new GZIPInputStream(in, BUFFER_BYTES);
        }
        return startsWith(start, XZ) ? XzText.open(in) : in;
    }

    /**
     * Apart, so that only a text in xz loads the library. Its archive is sealed: an AOT cache that holds its classes can be used in the
     * directory that it was made in, and nowhere else.
     */
    private static final class XzText {
        static InputStream open(InputStream in) throws IOException {
            return new XZInputStream(in, XZ_MEMORY_KIB);
        }
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** The line that reading has come to, from 1. */
    public int line() {
        return line;
    }

    /** Reads what is left, for the copy's sake. */
    public void drain() throws IOException {
        plain.transferTo(OutputStream.nullOutputStream());
    }

    /** What an exception of this reader means, in words. */
    public static String reason(IOException e) {
        return switch (e) {
            case EOFException cut -> "the compressed data ends too early: the file is cut";
            case ZipException damaged -> "the gzip data is damaged: " + damaged.getMessage();
            case MemoryLimitException greedy ->
                "the xz data wants " + greedy.getMemoryNeeded() / 1024 + " MiB to unpack; at most "
                        + XZ_MEMORY_KIB / 1024 + " are given";
            case XZIOException damaged -> "the xz data is damaged: " + damaged.getMessage();
            default -> String.valueOf(e.getMessage());
        };
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
        int count = text.read(into, offset, length);
        for (int i = offset; i < offset + count; i++) {
            if (into[i] == '\n') {
                line++;
            }
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        text.close();
    }

    /** Copies what is read, and ends with an exception after {@link #MAXIMUM_BYTES}. */
    private static final class WatchedInputStream extends InputStream {
        private final InputStream in;
        private final OutputStream copy;
        private long left = MAXIMUM_BYTES;

        WatchedInputStream(InputStream in, OutputStream copy) {
            this.in = in;
            this.copy = copy;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = in.read(into, offset, length);
            if (count > 0) {
                copy.write(into, offset, count);
                left -= count;
            }
            if (left < 0) {
                throw new IOException("more than " + (MAXIMUM_BYTES >> 30) + " GiB of text: refused");
            }
            return count;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
