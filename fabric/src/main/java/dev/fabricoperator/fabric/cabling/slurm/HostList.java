/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.slurm;

import dev.fabricoperator.fabric.cabling.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Slurm's host lists: names with commas between them, of which brackets hold ranges of numbers ({@code n[1-3,08-10]});
 * a name may have several brackets.
 *
 * @see "scontrol(1), show hostnames; slurm.conf(5), NodeName"
 */
public final class HostList {
    private static final int MAX_DIGITS = 9;

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

    /**
     * The names that a list stands for, in its order, none longer than {@link NodeId#MAX_LENGTH}.
     *
     * @param most names, and 64 times as many characters in one word of the list; more are an error before they are made
     */
    public static List<String> expand(String list, int most) throws BadHostList {
        List<String> names = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i <= list.length(); i++) {
            char c = i == list.length() ? ',' : list.charAt(i);
            if (c == '[') {
                depth++;
            } else if (c == ']') {
                depth--;
            }
            if (depth < 0 || depth > 1) {
                throw new BadHostList("brackets do not match in a list of hosts");
            }
            if (c == ',' && depth == 0) {
                String word = list.substring(from, i).strip();
                if (!word.isEmpty()) {
                    expandWord(word, most - names.size(), names);
                }
                from = i + 1;
            }
        }
        if (depth != 0) {
            throw new BadHostList("a bracket is not closed in a list of hosts");
        }
        return names;
    }

    private static void expandWord(String word, int most, List<String> into) throws BadHostList {
        // Text and numbers by turns: how many names there will be, and how long, is known before any is made.
        List<List<String>> parts = new ArrayList<>();
        long names = 1;
        int length = 0;
        int at = 0;
        while (at < word.length()) {
            int open = word.indexOf('[', at);
            int end = open < 0 ? word.length() : open;
            parts.add(List.of(word.substring(at, end)));
            length += end - at;
            at = end;
            if (open >= 0) {
                int close = word.indexOf(']', open);
                List<String> numbers = numbers(word.substring(open + 1, close), most);
                parts.add(numbers);
                names *= numbers.size();
                length += numbers.stream().mapToInt(String::length).max().orElse(0);
                at = close + 1;
            }
            if (length > NodeId.MAX_LENGTH) {
                throw new BadHostList("a name of more than " + NodeId.MAX_LENGTH + " characters in a list of hosts");
            }
            if (names > most || names * length > (long) most * MEAN_LENGTH) {
                throw tooMany();
            }
        }
        for (int name = 0; name < names; name++) {
            into.add(name(parts, name));
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

    private static List<String> numbers(String ranges, int most) throws BadHostList {
        List<String> numbers = new ArrayList<>();
        for (String range : ranges.split(",", -1)) {
            int dash = range.indexOf('-');
            String low = (dash < 0 ? range : range.substring(0, dash)).strip();
            String high = dash < 0 ? low : range.substring(dash + 1).strip();
            if (!isNumber(low) || !isNumber(high) || Integer.parseInt(low) > Integer.parseInt(high)) {
                throw new BadHostList("not a range of numbers in a list of hosts");
            }
            int last = Integer.parseInt(high);
            for (int n = Integer.parseInt(low); n <= last; n++) {
                if (numbers.size() == most) {
                    throw tooMany();
                }
                String digits = Integer.toString(n);
                numbers.add("0".repeat(Math.max(0, low.length() - digits.length())) + digits);
            }
        }
        return numbers;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
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
            if (digits == name.length()) {
                words.add(name);
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

    private static String padded(int number, int width) {
        String digits = Integer.toString(number);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
