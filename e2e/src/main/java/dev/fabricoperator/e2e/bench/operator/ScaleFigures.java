/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figures of several runs, a column for each. */
final class ScaleFigures {
    private final List<Map<String, String>> runs = new ArrayList<>();

    void begin() {
        runs.add(new LinkedHashMap<>());
    }

    void add(String what, String format, Object... values) {
        String value = String.format(Locale.ROOT, format, values);
        runs.getLast().put(what, value);
        System.out.printf("%-56s %s%n", what, value);
    }

    /** A line for each figure, and its value in each run. */
    void print() {
        System.out.println();
        for (String what : runs.getFirst().keySet()) {
            StringBuilder line = new StringBuilder("%-56s".formatted(what));
            runs.forEach(run -> line.append("%14s".formatted(run.getOrDefault(what, ""))));
            System.out.println(line);
        }
    }

    /** A line for each run. */
    List<String> csv() {
        List<String> lines = new ArrayList<>();
        lines.add(String.join(
                ",",
                runs.getFirst().keySet().stream().map(what -> '"' + what + '"').toList()));
        for (Map<String, String> run : runs) {
            lines.add(String.join(",", run.values()));
        }
        return lines;
    }
}
