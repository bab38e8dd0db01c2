/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.instant;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of e2e/programs/first-message.c, in seconds from the start of the last rank.
 *
 * @param known until every rank had every address
 * @param exchanged until every rank had a message from every peer
 */
record FirstMessages(double known, double exchanged) {
    private static final Pattern LINE =
            Pattern.compile("first rank=\\d+ size=(\\d+) start=([\\d.]+) known=([\\d.]+) done=([\\d.]+) .*");

    /** @throws IllegalStateException when not every rank has printed its line */
    static FirstMessages parse(String output, int ranks) {
        List<Matcher> lines =
                output.lines().map(LINE::matcher).filter(Matcher::matches).toList();
        if (lines.size() != ranks) {
            throw new IllegalStateException(lines.size() + " of " + ranks + " ranks have told their times:\n" + output);
        }
        double start = last(lines, 2);
        return new FirstMessages(last(lines, 3) - start, last(lines, 4) - start);
    }

    private static double last(List<Matcher> lines, int group) {
        return lines.stream()
                .mapToDouble(line -> Double.parseDouble(line.group(group)))
                .max()
                .orElseThrow();
    }
}
