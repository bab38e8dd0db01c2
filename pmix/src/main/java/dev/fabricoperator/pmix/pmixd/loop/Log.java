/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.io.PrintStream;

/** One line for each event on standard error, with the seconds since the process began; whoever keeps it adds the date. */
public final class Log {
    private static final long START_NANOS = System.nanoTime();
    private static final PrintStream OUT = System.err;

    private Log() {}

    /** The clock of the lines starts when this class is loaded, which is to be first. */
    public static void begin() {}

    public static void line(String text) {
        long millis = (System.nanoTime() - START_NANOS) / 1_000_000;
        StringBuilder line = new StringBuilder(text.length() + 24)
                .append("pmixd ")
                .append(millis / 1000)
                .append('.');
        long fraction = millis % 1000;
        line.append(fraction / 100)
                .append(fraction / 10 % 10)
                .append(fraction % 10)
                .append(' ');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            line.append(c < ' ' ? ' ' : c);
        }
        OUT.println(line);
    }
}
