/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * For lines that others can cause as often as they like: at most {@value #LINES}, or as many as are given, in
 * {@value #WINDOW_SECONDS} s. The first line
 * of the next window is preceded by how many were left out. From any thread.
 */
public final class RateLimitedLog {
    static final int LINES = 20;
    static final int WINDOW_SECONDS = 10;

    private final int most;
    private final Consumer<String> out;
    private final LongSupplier nanoTime;
    private long windowStartNanos;
    private int lines;
    private long leftOut;

    public RateLimitedLog() {
        this(LINES, Log::line);
    }

    /** @param most lines in a window */
    public RateLimitedLog(int most, Consumer<String> out) {
        this(most, out, System::nanoTime);
    }

    RateLimitedLog(Consumer<String> out, LongSupplier nanoTime) {
        this(LINES, out, nanoTime);
    }

    private RateLimitedLog(int most, Consumer<String> out, LongSupplier nanoTime) {
        this.most = most;
        this.out = out;
        this.nanoTime = nanoTime;
        this.windowStartNanos = nanoTime.getAsLong();
    }

    public synchronized void line(String text) {
        long now = nanoTime.getAsLong();
        if (now - windowStartNanos >= WINDOW_SECONDS * 1_000_000_000L) {
            windowStartNanos = now;
            lines = 0;
            if (leftOut > 0) {
                out.accept(leftOut + " more lines like those before were left out");
                leftOut = 0;
            }
        }
        if (lines < most) {
            lines++;
            out.accept(text);
        } else {
            leftOut++;
        }
    }
}
