/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Supplier;

/** What the demo tells its spectator: steps with the time that has passed, and what commands print. */
final class Progress {
    private static final Duration LOOK = Duration.ofMillis(250);

    private final PrintStream out;
    private final long start = System.nanoTime();

    Progress(PrintStream out) {
        this.out = out;
    }

    void step(String format, Object... arguments) {
        out.printf("[%5.1f s] %s%n", seconds(), String.format(format, arguments));
    }

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Shows a command as a user would type it, and what it printed. */
    void show(String command, String output) {
        out.printf("%n$ %s%n%s", command, output.endsWith("\n") ? output : output + "\n");
    }

    void line(String text) {
        out.println(text);
    }

    /** Waits until there is nothing left to wait for, and tells whenever that changes. */
    void await(Duration limit, Supplier<String> missing) {
        long deadline = System.nanoTime() + limit.toNanos();
        String told = "";
        for (String left = missing.get(); !left.isEmpty(); left = missing.get()) {
            if (!left.equals(told)) {
                step("  waiting: %s", left);
                told = left;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("gave up after " + limit.toSeconds() + " s: " + left);
            }
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }
}
