/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a page says that a command prints. Each line must be printed, in this order, among others; a row below a table's head is compared column by
 * column with a row below the same head.
 */
final class ExpectedOutput {
    private static final Pattern CELLS = Pattern.compile(" {2,}");
    private static final Pattern HEAD = Pattern.compile("[A-Z][A-Z0-9 '/-]*");
    private static final Set<String> VOLATILE = Set.of("AGE");

    private ExpectedOutput() {}

    /** The lines of the page that are not printed. */
    static List<String> missing(List<String> page, String printed) {
        List<String> missing = new ArrayList<>();
        Iterator<List<String>> rows =
                printed.lines().map(ExpectedOutput::cells).toList().iterator();
        List<String> head = List.of();
        for (String line : page) {
            List<String> expected = cells(line);
            if (line.isBlank()) {
                head = List.of();
                continue;
            }
            boolean found = false;
            while (!found && rows.hasNext()) {
                found = matches(expected, rows.next(), head);
            }
            if (!found) {
                missing.add(line);
            }
            if (isHead(expected)) {
                head = expected;
            }
        }
        return missing;
    }

    private static boolean isHead(List<String> cells) {
        return cells.size() > 1
                && cells.stream().allMatch(cell -> HEAD.matcher(cell).matches());
    }

    private static boolean matches(List<String> expected, List<String> actual, List<String> head) {
        if (expected.size() != actual.size()) {
            return false;
        }
        for (int i = 0; i < expected.size(); i++) {
            boolean free = head.size() == expected.size() && VOLATILE.contains(head.get(i));
            if (!free && !matches(expected.get(i), actual.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(String expected, String actual) {
        return Pattern.compile(String.join(
                        ".*",
                        Arrays.stream(expected.split("\\.\\.\\.", -1))
                                .map(Pattern::quote)
                                .toList()))
                .matcher(actual)
                .matches();
    }

    private static List<String> cells(String line) {
        return List.of(CELLS.split(line.strip()));
    }
}
