/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Standard output that, unlike {@link System#out}, says when it cannot be written, and tells a reader that has seen
 * enough ({@code | head}) from a disk that is full.
 */
public final class StandardOutput {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int NARROWEST = 60;
    private static final int WIDEST = 200;
    private static final ScopedValue<ByteArrayOutputStream> REDIRECTED = ScopedValue.newInstance();

    private StandardOutput() {}

    /** Unbuffered writes never happen; the caller flushes or closes. */
    public static OutputStream open() {
        Progress.done();
        return new BufferedOutputStream(
                REDIRECTED.isBound() ? REDIRECTED.get() : new Watched(new FileOutputStream(FileDescriptor.out)),
                BUFFER_BYTES);
    }

    /** Whether a person reads it on a terminal that shows colours, and has not asked for none. */
    public static boolean isColoured() {
        String none = System.getenv("NO_COLOR");
        return !REDIRECTED.isBound() && (none == null || none.isEmpty()) && isTerminal(1);
    }

    /** Whether a person reads a stream of this process on a terminal that is not dumb. */
    static boolean isTerminal(int descriptor) {
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /**
     * Columns that tables have: those of the terminal, which the program's script asks for; 0 without one, and for whoever
     * reads from a pipe and has not set {@code COLUMNS}.
     */
    public static int columns() {
        String columns = System.getenv("COLUMNS");
        if (REDIRECTED.isBound() || columns == null || !columns.matches("[1-9][0-9]{0,4}")) {
            return 0;
        }
        return Math.clamp(Integer.parseInt(columns), NARROWEST, WIDEST);
    }

    /** What this thread prints in {@code action} goes to {@code out} instead. */
    public static <T> T redirect(ByteArrayOutputStream out, Supplier<T> action) {
        return ScopedValue.where(REDIRECTED, out).call(action::get);
    }

    public static void print(String text) throws IOException {
        try (OutputStream out = open()) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The reader of standard output has gone; there is nothing left to do and nothing to say. */
    public static final class ReaderGoneException extends IOException {
        private static final long serialVersionUID = 1L;

        ReaderGoneException(IOException cause) {
            super("the reader of standard output has gone", cause);
        }
    }

    private static final class Watched extends OutputStream {
        private final FileOutputStream out;

        Watched(FileOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw isPipe(e)
                        ? new ReaderGoneException(e)
                        : new IOException("standard output cannot be written: " + e.getMessage(), e);
            }
        }

        /** The only error that a pipe knows is that nobody reads it; the system's words for it depend on the locale. */
        private static boolean isPipe(IOException e) {
            String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            if (message.contains("broken pipe") || message.contains("connection reset")) {
                return true;
            }
            try {
                String target =
                        Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
                return target.startsWith("pipe:") || target.startsWith("socket:");
            } catch (IOException | UnsupportedOperationException unknown) {
                return false;
            }
        }
    }
}
