/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * For lines that a stranger can cause as often as he likes: at most {@value #LINES} in {@value #WINDOW_SECONDS} s. The first line
 * of the next window is preceded by how many were left out. From any thread.
 */
public final class RateLimitedLog {
    static final int LINES = 20;
    static final int WINDOW_SECONDS = 10;

    private final Consumer<String> out;
    private final LongSupplier nanoTime;
    private long windowStartNanos;
    private int lines;
    private long leftOut;

    public RateLimitedLog() {
        this(Log::line, System::nanoTime);
    }

    RateLimitedLog(Consumer<String> out, LongSupplier nanoTime) {
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
        if (lines < LINES) {
            lines++;
            out.accept(text);
        } else {
            leftOut++;
        }
    }
}
