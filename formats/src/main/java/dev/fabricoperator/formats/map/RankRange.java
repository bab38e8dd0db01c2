/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ranks that follow each other, from the first to the last. */
public record RankRange(int first, int last) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    public RankRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(first + "-" + last + " are no ranks");
        }
    }

    /** Of {@code 0-3} or {@code 5}; {@code null} for anything else. */
    public static @Nullable RankRange parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return null;
        }
        int first = Integer.parseInt(form.group(1));
        int last = form.group(2) == null ? first : Integer.parseInt(form.group(2));
        return last < first ? null : new RankRange(first, last);
    }

    int count() {
        return last - first + 1;
    }

    /** Ascending, with those joined that follow each other or overlap. O(n log n). */
    static List<RankRange> joined(Collection<RankRange> ranges) {
        List<RankRange> joined = new ArrayList<>();
        ranges.stream().sorted(Comparator.comparingInt(RankRange::first)).forEach(next -> {
            RankRange before = joined.isEmpty() ? null : joined.getLast();
            if (before != null && next.first() <= before.last() + 1) {
                joined.set(joined.size() - 1, new RankRange(before.first(), Math.max(before.last(), next.last())));
            } else {
                joined.add(next);
            }
        });
        return joined;
    }

    /** {@code ranks 0-7, 12}, {@code rank 5}. */
    static String words(List<RankRange> joined) {
        boolean one = joined.size() == 1 && joined.getFirst().count() == 1;
        return joined.stream().map(RankRange::toString).collect(Collectors.joining(", ", one ? "rank " : "ranks ", ""));
    }

    /** {@code 0-3}, {@code 5}. */
    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
