/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Says on standard error every few seconds how far a long step is, until it is closed. */
final class Progress implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(10);

    private final String what;
    private final Supplier<String> state;
    private final long begin = System.nanoTime();
    private final Thread thread;

    private Progress(String what, Supplier<String> state) {
        this.what = what;
        this.state = state;
        this.thread = Thread.ofVirtual().start(this::tell);
    }

    static Progress of(String what, Supplier<String> state) {
        return new Progress(what, state);
    }

    static Progress counting(String what, AtomicInteger done, int all) {
        long begin = System.nanoTime();
        return new Progress(what, () -> {
            int now = done.get();
            return "%,d of %,d, %.0f a second".formatted(now, all, now / ((System.nanoTime() - begin) / 1e9));
        });
    }

    private void tell() {
        try {
            while (true) {
                Thread.sleep(EVERY);
                System.err.printf("  %4.0f s  %s: %s%n", (System.nanoTime() - begin) / 1e9, what, state.get());
            }
        } catch (InterruptedException e) {
            // Closed.
            return;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
