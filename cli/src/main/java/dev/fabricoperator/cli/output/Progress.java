/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.fabric.cabling.DisplayText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;

/**
 * One line on a terminal's standard error that says what a person waits for, once they have waited for a second. It is gone before
 * anything else is written.
 */
public final class Progress implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int LONGEST = 58;
    /** Back to the line's beginning, and away with what stands there. */
    private static final String ERASE = "\r\u001b[K";

    private static final ScopedValue<Progress> CURRENT = ScopedValue.newInstance();

    private final Writer out;
    private final PrintWriter err;
    private final Thread thread;
    private String stage = "";
    private String shown = "";
    private boolean ended;

    private Progress(Writer out, Duration patience) {
        this.out = out;
        err = new PrintWriter(new Erasing(), true);
        thread = Thread.ofVirtual().start(() -> look(patience));
    }

    /**
     * @param action what it does, and what it calls, may say what it is at
     * @param err standard error, which {@code action} gets as one that takes the line away before it writes
     */
    static <T> T during(Writer err, Duration patience, Step<T> action) {
        try (Progress progress = new Progress(err, patience)) {
            return ScopedValue.where(CURRENT, progress).call(() -> action.with(progress.err));
        }
    }

    /** What takes its time. */
    @FunctionalInterface
    public interface Step<T> {
        T with(PrintWriter err);
    }

    /** As {@link #during(Writer, Duration, Step)} on the process's standard error; where that is no terminal nothing is shown. */
    public static <T> T during(Step<T> action) {
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        return StandardOutput.isTerminal(2) ? during(err, PATIENCE, action) : action.with(err);
    }

    /** Says what is being done now, such as {@code reading fabric.txt}; nothing where nobody looks. */
    public static void says(String stage) {
        if (CURRENT.isBound()) {
            CURRENT.get().now(stage);
        }
    }

    /** Nothing more is waited for, or it shows by itself. */
    public static void done() {
        if (CURRENT.isBound()) {
            CURRENT.get().now("");
        }
    }

    private synchronized void now(String next) {
        String line = DisplayText.lines(next).replace('\n', ' ').replace('\t', ' ');
        stage = line.substring(0, TerminalWidth.end(line, LONGEST));
        if (stage.isEmpty() || !shown.isEmpty()) {
            show();
        }
    }

    private void look(Duration patience) {
        try {
            Thread.sleep(patience);
            while (true) {
                synchronized (this) {
                    if (ended) {
                        return;
                    }
                    show();
                }
                Thread.sleep(LOOK);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void show() {
        if (shown.equals(stage)) {
            return;
        }
        try {
            out.write(shown.isEmpty() ? stage : ERASE + stage);
            out.flush();
            shown = stage;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        now("");
        synchronized (this) {
            ended = true;
        }
        thread.interrupt();
    }

    /** What else is written there. */
    private final class Erasing extends Writer {
        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            synchronized (Progress.this) {
                if (!shown.isEmpty()) {
                    out.write(ERASE);
                    shown = "";
                }
                out.write(characters, offset, length);
            }
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
