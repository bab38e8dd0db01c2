/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Slurm's host lists: names with commas between them, of which brackets hold ranges of numbers ({@code n[1-3,08-10]});
 * a name may have several brackets. A name that has brackets or commas of its own stands in quotes, of which one inside is doubled; Slurm knows no
 * such names.
 *
 * @see "scontrol(1), show hostnames; slurm.conf(5), NodeName"
 */
public final class HostList {
    private static final int MAX_DIGITS = 9;
    /** Slurm puts the digits at the end of a GUID into brackets too. */
    private static final int MAX_DIGITS_READ = 18;

    /** Of a device without a name, which is looked for as a whole. */
    private static final Pattern GUID = Pattern.compile("[0-9a-f]{16}");

    /** Longer names may be fewer: characters cost memory as names do. */
    private static final int MEAN_LENGTH = 64;

    private HostList() {}

    /** A list that is none, or that stands for too many names. */
    public static final class BadHostList extends Exception {
        private static final long serialVersionUID = 1L;

        public BadHostList(String wrong) {
            super(wrong, null, false, false);
        }
    }

    /** @param width digits of the lowest number, with its zeros */
    private record Range(long low, long high, int width) {}

    /** What stands in one place of a word: a text, or numbers. */
    private record Part(String text, List<Range> ranges) {
        /** Without making any; 2^31 - 1 where there are more. */
        long count() {
            long count = 0;
            for (Range range : ranges) {
                count = Math.min(Integer.MAX_VALUE, count + range.high() - range.low() + 1);
            }
            return count;
        }

        /** Of the longest number. */
        int length() {
            int longest = 0;
            for (Range range : ranges) {
                longest = Math.max(longest, padded(range.high(), range.width()).length());
            }
            return longest;
        }

        List<String> choices() {
            if (ranges.isEmpty()) {
                return List.of(text);
            }
            List<String> numbers = new ArrayList<>((int) count());
            for (Range range : ranges) {
                for (long number = range.low(); number <= range.high(); number++) {
                    numbers.add(padded(number, range.width()));
                }
            }
            return numbers;
        }
    }

    /**
     * The names that a list stands for, in its order, none longer than {@link NodeId#MAX_LENGTH}.
     *
     * @param most names, and 64 times as many characters in one word of the list; more are an error before they are made
     */
    public static List<String> expand(String list, int most) throws BadHostList {
        List<String> names = new ArrayList<>();
        for (String word : words(list)) {
            if (!word.startsWith("\"")) {
                expandWord(word, most - names.size(), names);
            } else if (names.size() == most) {
                throw tooMany();
            } else {
                names.add(unquoted(word));
            }
        }
        return names;
    }

    /** What stands between commas that are in no brackets and no quotes, as it stands there. O(characters). */
    public static List<String> words(String list) throws BadHostList {
        List<String> words = new ArrayList<>();
        int depth = 0;
        int from = 0;
        boolean blank = true;
        for (int i = 0; i <= list.length(); i++) {
            char c = i == list.length() ? ',' : list.charAt(i);
            if (c == '"' && blank) {
                i = endOfQuotes(list, i) - 1;
            } else if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            }
            if (depth < 0 || depth > 1) {
                throw new BadHostList("brackets do not match in a list of hosts");
            }
            blank &= Character.isWhitespace(c);
            if (c == ',' && depth == 0) {
                String word = list.substring(from, i).strip();
                if (!word.isEmpty()) {
                    words.add(word);
                }
                from = i + 1;
                blank = true;
            }
        }
        if (depth != 0) {
            throw new BadHostList("a bracket is not closed in a list of hosts");
        }
        return words;
    }

    /** Behind the quote that closes the one at {@code open}. */
    private static int endOfQuotes(String list, int open) throws BadHostList {
        int at = list.indexOf('"', open + 1);
        while (at >= 0 && at + 1 < list.length() && list.charAt(at + 1) == '"') {
            at = list.indexOf('"', at + 2);
        }
        if (at < 0) {
            throw new BadHostList("a quote is not closed in a list of hosts");
        }
        return at + 1;
    }

    private static String unquoted(String word) throws BadHostList {
        if (endOfQuotes(word, 0) != word.length()) {
            throw new BadHostList("no comma behind a name in quotes in a list of hosts");
        }
        String name = word.substring(1, word.length() - 1).replace("\"\"", "\"");
        if (name.length() > NodeId.MAX_LENGTH) {
            throw tooLong();
        }
        return name;
    }

    /** Whether a name would be read as something else. */
    private static boolean needsQuotes(String name) {
        return name.isEmpty()
                || name.startsWith("\"")
                || !name.equals(name.strip())
                || name.chars().anyMatch(c -> c == '[' || c == ']' || c == ',');
    }

    private static String quoted(String name) {
        return needsQuotes(name) ? '"' + name.replace("\"", "\"\"") + '"' : name;
    }

    private static void expandWord(String word, int most, List<String> into) throws BadHostList {
        // Text and numbers by turns: how many names there will be, and how long, is known before any is made.
        List<Part> parts = new ArrayList<>();
        long names = 1;
        int length = 0;
        int at = 0;
        while (at < word.length()) {
            int open = word.indexOf('[', at);
            int end = open < 0 ? word.length() : open;
            parts.add(new Part(word.substring(at, end), List.of()));
            length += end - at;
            at = end;
            if (open >= 0) {
                int close = word.indexOf(']', open);
                Part numbers = new Part("", ranges(word.substring(open + 1, close)));
                parts.add(numbers);
                // Both at most 2^31, so that the product is none that wraps round.
                names *= numbers.count();
                length += numbers.length();
                at = close + 1;
            }
            if (length > NodeId.MAX_LENGTH) {
                throw tooLong();
            }
            if (names > most || names * length > (long) most * MEAN_LENGTH) {
                throw tooMany();
            }
        }
        List<List<String>> choices = parts.stream().map(Part::choices).toList();
        for (int name = 0; name < names; name++) {
            into.add(name(choices, name));
        }
    }

    /** The last part counts fastest. */
    private static String name(List<List<String>> parts, int number) {
        String name = "";
        int rest = number;
        for (int part = parts.size() - 1; part >= 0; part--) {
            List<String> choices = parts.get(part);
            name = choices.get(rest % choices.size()).concat(name);
            rest /= choices.size();
        }
        return name;
    }

    private static List<Range> ranges(String list) throws BadHostList {
        List<Range> ranges = new ArrayList<>();
        for (String range : list.split(",", -1)) {
            int dash = range.indexOf('-');
            String low = (dash < 0 ? range : range.substring(0, dash)).strip();
            String high = dash < 0 ? low : range.substring(dash + 1).strip();
            if (!isNumber(low) || !isNumber(high) || Long.parseLong(low) > Long.parseLong(high)) {
                throw new BadHostList("not a range of numbers in a list of hosts");
            }
            ranges.add(new Range(Long.parseLong(low), Long.parseLong(high), low.length()));
        }
        return ranges;
    }

    private static boolean isNumber(String text) {
        boolean digits = !text.isEmpty() && text.length() <= MAX_DIGITS_READ;
        for (int i = 0; i < text.length() && digits; i++) {
            digits = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        return digits;
    }

    private static BadHostList tooLong() {
        return new BadHostList("a name of more than " + NodeId.MAX_LENGTH + " characters in a list of hosts");
    }

    private static BadHostList tooMany() {
        return new BadHostList("a list that stands for too many hosts");
    }

    /** A list that {@link #expand} turns into these names, each once, with ranges where numbers follow each other. */
    public static String compress(Collection<String> names) {
        Map<String, TreeMap<Integer, TreeSet<Integer>>> numbered = new LinkedHashMap<>();
        List<String> words = new ArrayList<>();
        for (String name : new TreeSet<>(names)) {
            int digits = name.length();
            while (digits > 0
                    && name.length() - digits < MAX_DIGITS
                    && name.charAt(digits - 1) >= '0'
                    && name.charAt(digits - 1) <= '9') {
                digits--;
            }
            if (digits == name.length() || GUID.matcher(name).matches() || needsQuotes(name)) {
                words.add(quoted(name));
                continue;
            }
            String number = name.substring(digits);
            // Numbers without leading zeros go together whatever their length; padded ones by their width, below with
            // those that fill it.
            int width = number.startsWith("0") && number.length() > 1 ? number.length() : 0;
            numbered.computeIfAbsent(name.substring(0, digits), p -> new TreeMap<>())
                    .computeIfAbsent(width, w -> new TreeSet<>())
                    .add(Integer.parseInt(number));
        }
        numbered.forEach((prefix, widths) -> {
            joinWhatFillsAWidth(widths);
            widths.forEach((width, numbers) -> words.add(word(prefix, width, numbers)));
        });
        return String.join(",", words);
    }

    /** {@code 10} follows {@code 09}: where some numbers of a length are padded, all others of that length go with them. */
    private static void joinWhatFillsAWidth(TreeMap<Integer, TreeSet<Integer>> widths) {
        TreeSet<Integer> unpadded = widths.remove(0);
        if (unpadded == null) {
            return;
        }
        unpadded.removeIf(number -> {
            TreeSet<Integer> sameLength = widths.get(Integer.toString(number).length());
            return sameLength != null && sameLength.add(number);
        });
        if (!unpadded.isEmpty()) {
            widths.put(0, unpadded);
        }
    }

    private static String word(String prefix, int width, TreeSet<Integer> numbers) {
        if (numbers.size() == 1) {
            return prefix + padded(numbers.first(), width);
        }
        StringBuilder ranges = new StringBuilder();
        int low = -2;
        int high = -2;
        for (int number : numbers) {
            if (number != high + 1) {
                append(ranges, low, high, width);
                low = number;
            }
            high = number;
        }
        append(ranges, low, high, width);
        return prefix + "[" + ranges + "]";
    }

    private static void append(StringBuilder ranges, int low, int high, int width) {
        if (low < 0) {
            return;
        }
        ranges.append(ranges.isEmpty() ? "" : ",").append(padded(low, width));
        if (high > low) {
            ranges.append('-').append(padded(high, width));
        }
    }

    private static String padded(long number, int width) {
        String digits = Long.toString(number);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
