/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;

/**
 * How much was counted within the last {@code window}. What was counted in a span that began before is left out whole, so that it is never too
 * much. A counter that stands still takes no memory, any other that of {@value #SPANS} spans.
 */
final class CountWindow {
    private static final int SPANS = 16;

    private record Span(Instant from, Instant to, long count) {}

    private final Duration window;
    private final ArrayDeque<Span> spans = new ArrayDeque<>(2);
    private long total;

    CountWindow(Duration window) {
        this.window = window;
    }

    /**
     * More of it between two looks, of which {@code to} is now. Of looks that are further apart than the window the share of one window counts, as if all had come evenly.
     */
    void add(Instant from, Instant to, long count) {
        Duration between = Duration.between(from, to);
        if (between.compareTo(window) > 0) {
            clear();
            add(to.minus(window), to, (long) ((double) count * window.toNanos() / between.toNanos()));
            return;
        }
        Span last = spans.peekLast();
        if (last != null && Duration.between(last.from(), to).compareTo(window.dividedBy(SPANS)) <= 0) {
            spans.removeLast();
            spans.addLast(new Span(last.from(), to, last.count() + count));
        } else {
            spans.addLast(new Span(from, to, count));
        }
        total += count;
    }

    long total(Instant now) {
        while (!spans.isEmpty() && spans.getFirst().from().isBefore(now.minus(window))) {
            total -= spans.removeFirst().count();
        }
        return total;
    }

    /** From the first to the last that is in {@link #total}. */
    Duration span() {
        return spans.isEmpty()
                ? Duration.ZERO
                : Duration.between(spans.getFirst().from(), spans.getLast().to());
    }

    void clear() {
        spans.clear();
        total = 0;
    }
}
