/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Numbers of a switch's ports from their names, since this project knows ports by number.
 *
 * <p>A name's number is the last one in it, as it is printed on the switch: 12 for {@code swp12}, {@code Ethernet1/12}
 * and {@code 12}. Names that would share one ({@code swp1s0}, {@code swp2s0}) get 1,024 + 64 x the last number but one +
 * the last, which does not depend on what other ports there are; whatever is still not told apart, and names without
 * any digit, are counted upwards from there in the order of their names.
 */
public final class PortNumbers {
    /** Largest number of {@code FabricSwitch.spec.ports[].number}. */
    public static final int MAX = 65535;

    private static final int PAIRS = 1024;
    private static final int PAIR_STEP = 64;
    private static final int NONE = -1;

    private PortNumbers() {}

    /** A number for each of {@code names}, all different. */
    public static Map<String, Integer> of(Collection<String> names) {
        return of(names, Set.of());
    }

    /**
     * As {@link #of(Collection)}, around numbers that others have already.
     *
     * @param others none of these is given; together with the names at most 64,512
     */
    public static Map<String, Integer> of(Collection<String> names, Set<Integer> others) {
        Map<String, Integer> numbers = new HashMap<>();
        Set<Integer> taken = new HashSet<>(others);
        List<String> left = assign(new ArrayList<>(new HashSet<>(names)), numbers, taken, PortNumbers::last);
        left = assign(left, numbers, taken, PortNumbers::pair);
        left.sort(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
        int next = PAIRS;
        for (String name : left) {
            while (!taken.add(next)) {
                next++;
            }
            numbers.put(name, next);
        }
        return numbers;
    }

    /** Whether the port of this name may have been given this number, whatever other names there were. */
    public static boolean mayBe(String name, int number) {
        int last = last(name);
        return last == NONE ? number >= PAIRS : number == last || number == pair(name);
    }

    private interface Numbering {
        int number(String name);
    }

    /** Gives the names that alone have their number that number; returns the others. */
    private static List<String> assign(
            List<String> names, Map<String, Integer> numbers, Set<Integer> taken, Numbering numbering) {
        Map<Integer, Integer> uses = new HashMap<>();
        for (String name : names) {
            uses.merge(numbering.number(name), 1, Integer::sum);
        }
        List<String> left = new ArrayList<>();
        Set<Integer> now = new HashSet<>();
        for (String name : names) {
            int number = numbering.number(name);
            if (number != NONE && uses.getOrDefault(number, 0) == 1 && !taken.contains(number)) {
                numbers.put(name, number);
                now.add(number);
            } else {
                left.add(name);
            }
        }
        taken.addAll(now);
        return left;
    }

    private static int last(String name) {
        return group(name, 0);
    }

    private static int pair(String name) {
        int last = group(name, 0);
        int before = group(name, 1);
        int number = PAIRS + before * PAIR_STEP + last;
        return last == NONE || before == NONE || last >= PAIR_STEP || number > MAX ? NONE : number;
    }

    /** The number in the name that {@code fromEnd} others follow. */
    private static int group(String name, int fromEnd) {
        int end = name.length();
        for (int skip = fromEnd; ; skip--) {
            while (end > 0 && !isDigit(name.charAt(end - 1))) {
                end--;
            }
            int start = end;
            while (start > 0 && isDigit(name.charAt(start - 1))) {
                start--;
            }
            if (start == end) {
                return NONE;
            }
            if (skip == 0) {
                return number(name.substring(start, end));
            }
            end = start;
        }
    }

    private static int number(String digits) {
        if (digits.length() > 9) {
            return NONE;
        }
        int number = Integer.parseInt(digits);
        return number > MAX ? NONE : number;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
