/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What {@code -Xlog:gc} of the operator's JVM wrote. */
record GcLog(Path file) {
    private static final Pattern PAUSE =
            Pattern.compile("Pause .* (\\d+)M->(\\d+)M\\((\\d+)M\\) ([0-9]+)[.]([0-9]{3})ms");

    String option() {
        return "-Xlog:gc:file=" + file + "::filecount=0";
    }

    /** The most that a collection left, in MiB: what was live, and what young collections had not looked at yet. */
    long highestAfterMebibytes() throws IOException {
        return highest(pause -> Long.parseLong(pause.group(2)));
    }

    /** The most that the heap was given, in MiB. */
    long highestHeapMebibytes() throws IOException {
        return highest(pause -> Long.parseLong(pause.group(3)));
    }

    long longestPauseMillis() throws IOException {
        return highest(pause -> Long.parseLong(pause.group(4)));
    }

    double allPausesSeconds() throws IOException {
        return pauses().stream()
                        .mapToLong(pause -> Long.parseLong(pause.group(4)) * 1_000 + Long.parseLong(pause.group(5)))
                        .sum()
                / 1e6;
    }

    private long highest(ToLongFunction<Matcher> value) throws IOException {
        return pauses().stream().mapToLong(value).max().orElse(0);
    }

    private List<Matcher> pauses() throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(PAUSE::matcher).filter(Matcher::find).toList();
        }
    }
}
