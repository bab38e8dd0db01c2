/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The text of a dump from a file or standard input: plain, gzip or xz, told apart by the first bytes and never by the
 * name. Knows the line that it has come to, so that a damaged archive can be named by place.
 */
public final class DumpText extends Reader {
    /** Ten times the largest fabric that is known of; a small file that unpacks to more is a bomb. */
    static final long MAXIMUM_BYTES = 1L << 30;

    private static final int XZ_MEMORY_KIB = 128 * 1024;
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};
    private static final byte[] XZ = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0};
    private static final int BUFFER_BYTES = 1 << 16;

    private final Reader text;
    private int line = 1;

    private DumpText(InputStream plain) {
        text = new InputStreamReader(plain, StandardCharsets.UTF_8);
    }

    /**
     * Opens a file, FIFO or standard input.
     *
     * @param copy gets every byte of the unpacked text that is read
     * @throws Failure if there is nothing to read, or an archive's header is damaged
     */
    public static DumpText open(SourceArgument source, OutputStream copy) throws Failure {
        InputStream raw = openRaw(source);
        try {
            return new DumpText(new WatchedInputStream(unpacked(raw), copy));
        } catch (IOException e) {
            throw Failure.badInput(source.shownPath() + ":1: " + reason(e), e);
        }
    }

    private static InputStream openRaw(SourceArgument source) throws Failure {
        if (source.path().equals(SourceArgument.STANDARD_INPUT)) {
            return System.in;
        }
        try {
            Path path = Path.of(source.path());
            if (Files.isDirectory(path)) {
                throw Failure.badInput(source.path() + ": is a directory; name the file in it", null);
            }
            if (!Files.exists(path)) {
                throw Failure.badInput(source.path() + ": no such file", null);
            }
            return new FileInputStream(path.toFile());
        } catch (InvalidPathException e) {
            throw Failure.badInput(source.path() + ": not a path", e);
        } catch (FileNotFoundException e) {
            throw Failure.badInput(source.path() + ": cannot be opened: permission denied", e);
        }
    }

    private static InputStream unpacked(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BUFFER_BYTES);
        in.mark(XZ.length);
        byte[] start = in.readNBytes(XZ.length);
        in.reset();
        if (startsWith(start, GZIP)) {
            return new GZIPInputStream(in, BUFFER_BYTES);
        }
        return startsWith(start, XZ) ? new XZInputStream(in, XZ_MEMORY_KIB) : in;
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** The line that reading has come to, from 1. */
    int line() {
        return line;
    }

    /** What an exception of this reader means, in words. */
    static String reason(IOException e) {
        return switch (e) {
            case java.io.EOFException cut -> "the compressed data ends too early: the file is cut";
            case java.util.zip.ZipException damaged -> "the gzip data is damaged: " + damaged.getMessage();
            case org.tukaani.xz.MemoryLimitException greedy ->
                "the xz data wants " + greedy.getMemoryNeeded() / 1024 + " MiB to unpack; at most "
                        + XZ_MEMORY_KIB / 1024 + " are given";
            case org.tukaani.xz.XZIOException damaged -> "the xz data is damaged: " + damaged.getMessage();
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
