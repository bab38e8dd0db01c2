/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.fabric;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What e2e/programs/pmix-report.c printed for one rank.
 *
 * @param values by {@code "<whose> <key>"}: type and value, elements of arrays in the lines behind it as they are indented
 */
public record Report(Map<String, List<String>> values) {
    private static final Pattern LINE = Pattern.compile("(\\S.*? pmix\\.\\S+) (.*)");

    public static Report parse(String output) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        List<String> current = new ArrayList<>();
        for (String line : output.lines().toList()) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                current = new ArrayList<>(List.of(matcher.group(2)));
                values.put(matcher.group(1), current);
            } else {
                current.add(line.stripTrailing());
            }
        }
        return new Report(values);
    }

    /** All lines of a value. */
    public List<String> of(String whose, String key) {
        return values.getOrDefault(whose + " " + key, List.of("not printed"));
    }

    /** Elements of an array, each with the lines below it joined by newlines. */
    public List<String> elements(String whose, String key) {
        List<String> elements = new ArrayList<>();
        for (String line : of(whose, key)) {
            if (line.startsWith("   ")) {
                elements.set(elements.size() - 1, elements.getLast() + "\n" + line.strip());
            } else if (line.startsWith("  ")) {
                elements.add(line.strip());
            }
        }
        return elements;
    }
}
