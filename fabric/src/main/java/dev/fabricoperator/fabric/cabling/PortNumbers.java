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
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Numbers of a switch's ports from their names, since this project knows ports by number.
 *
 * <p>A name is a stem and numbers: {@code Ethernet} and 1, 12 for {@code Ethernet1/12}. The numbers that all names of a stem
 * begin with, as that of the only chassis, are left out, but never the last one. What remains is the port's number where it is
 * one number; of two it is 1,024 + 64 x the first + the second, of three 1,024 + 64 x (64 x the first + the second) + the third.
 * So a port that comes or goes changes no other number of its stem, unless it was the only one of its chassis or card. Where
 * stems disagree ({@code Ethernet1}, {@code Management1}) the first one that is no word for management has the number; the other
 * name gets the number that all of its numbers make, and what is still not told apart, or has no digit, is counted upwards from
 * 1,024 in the order of names.
 */
public final class PortNumbers {
    /** Largest number of {@code FabricSwitch.spec.ports[].number}. */
    public static final int MAX = 65535;

    private static final int COMPOSED = 1024;
    private static final int STEP = 64;
    private static final int NONE = -1;
    /** That a number is made of. */
    private static final int MOST_NUMBERS = 3;

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
        Map<String, List<PortName>> byStem = new TreeMap<>();
        for (String name : new TreeSet<>(names)) {
            PortName parsed = PortName.of(name);
            byStem.computeIfAbsent(parsed.stem(), stem -> new ArrayList<>()).add(parsed);
        }
        Map<String, Integer> numbers = new HashMap<>();
        Set<Integer> taken = new HashSet<>(others);
        List<PortName> left = new ArrayList<>();
        byStem.values().stream()
                .sorted(Comparator.comparing(
                        (List<PortName> ports) -> ports.getFirst().isManagement()))
                .forEach(ports -> {
                    int shared = shared(ports);
                    for (PortName port : ports) {
                        if (!give(port, port.number(shared), numbers, taken)) {
                            left.add(port);
                        }
                    }
                });
        left.removeIf(port -> port.numbers().size() > 1 && give(port, port.number(0), numbers, taken));
        left.sort(
                Comparator.comparingInt((PortName port) -> port.name().length()).thenComparing(PortName::name));
        int next = COMPOSED;
        for (PortName port : left) {
            while (!taken.add(next)) {
                next++;
            }
            numbers.put(port.name(), next);
        }
        return numbers;
    }

    private static boolean give(PortName port, int number, Map<String, Integer> numbers, Set<Integer> taken) {
        if (number == NONE || !taken.add(number)) {
            return false;
        }
        numbers.put(port.name(), number);
        return true;
    }

    /** How many leading numbers all names have in common, beside the last one of each. */
    private static int shared(List<PortName> ports) {
        List<Integer> first = ports.getFirst().numbers();
        int shared = Math.max(0, first.size() - 1);
        for (PortName port : ports) {
            shared = Math.min(shared, Math.max(0, port.numbers().size() - 1));
            for (int i = 0; i < shared; i++) {
                if (!first.get(i).equals(port.numbers().get(i))) {
                    shared = i;
                }
            }
        }
        return shared;
    }

    /**
     * Numbers that a switch's names give to those of its ports that are known by number already, where the names are others than those that these were made from: with
     * interfaces of software, or of switches that hang on this one. Only names of one stem have a number, which begin with the same numbers: those that fit most.
     *
     * @param known numbers of the ports that are known
     * @return by name; empty where fewer than half of {@code known} fit, or different names equally well
     */
    public static Map<String, Integer> fitting(Collection<String> names, Set<Integer> known) {
        Map<Beginning, Map<String, Integer>> all = new HashMap<>();
        for (String name : names) {
            PortName port = PortName.of(name);
            int size = port.numbers().size();
            for (int shared = Math.max(0, size - MOST_NUMBERS); shared < size; shared++) {
                int number = port.number(shared);
                if (number != NONE) {
                    all.computeIfAbsent(
                                    new Beginning(
                                            port.stem(),
                                            port.isManagement(),
                                            port.numbers().subList(0, shared)),
                                    any -> new HashMap<>())
                            .put(name, number);
                }
            }
        }
        Comparator<Fit> best = Comparator.comparingLong(Fit::number)
                .reversed()
                .thenComparing(fit -> fit.beginning().isManagement())
                .thenComparingInt(fit -> fit.beginning().shared().size());
        List<Fit> fits = all.entrySet().stream()
                .map(each -> new Fit(
                        each.getKey(),
                        each.getValue(),
                        each.getValue().values().stream()
                                .filter(known::contains)
                                .distinct()
                                .count()))
                .sorted(best)
                .limit(2)
                .toList();
        boolean isClear = !fits.isEmpty()
                && fits.getFirst().number() > 0
                && 2 * fits.getFirst().number() >= known.size()
                && (fits.size() == 1 || best.compare(fits.getFirst(), fits.getLast()) != 0);
        return isClear ? fits.getFirst().numbers() : Map.of();
    }

    /** What names begin with. */
    private record Beginning(String stem, boolean isManagement, List<Integer> shared) {}

    /** How many known ports the numbers of some names are. */
    private record Fit(Beginning beginning, Map<String, Integer> numbers, long number) {}

    /** Whether the port of this name may have been given this number, whatever other names there were. */
    public static boolean mayBe(String name, int number) {
        PortName port = PortName.of(name);
        // Counted, as names are whose numbers make none of their own.
        if (number >= COMPOSED && (port.numbers().size() < 2 || port.number(0) == NONE)) {
            return true;
        }
        return IntStream.range(0, port.numbers().size()).anyMatch(shared -> port.number(shared) == number);
    }

    private record PortName(String name, String stem, List<Integer> numbers) {
        private static final Pattern DIGITS = Pattern.compile("\\d+");
        private static final Pattern LEADING_SPEED = Pattern.compile("\\d+(\\.\\d+)?(?=\\p{L})");

        /** Of words for ports that carry no cables of the fabric: any other stem goes before them. */
        private static final Pattern MANAGEMENT =
                Pattern.compile("m(a?na?ge?me?n?t|gmt|e)\\D*|fxp|em|eth|vlan|irb|lo\\D*|port-?channel|po|bond|ae|lag");

        /** A speed that a name begins with ({@code 100GE1/0/1}) is part of its stem. */
        static PortName of(String name) {
            Matcher speed = LEADING_SPEED.matcher(name);
            int from = speed.lookingAt() ? speed.end() : 0;
            Matcher digits = DIGITS.matcher(name);
            int stem = name.length();
            List<Integer> numbers = new ArrayList<>();
            while (digits.find(from)) {
                stem = Math.min(stem, digits.start());
                from = digits.end();
                int number = digits.group().length() > 9 ? MAX + 1 : Integer.parseInt(digits.group());
                if (number > MAX) {
                    return new PortName(name, name.substring(0, stem).toLowerCase(Locale.ROOT), List.of());
                }
                numbers.add(number);
            }
            return new PortName(name, name.substring(0, stem).toLowerCase(Locale.ROOT), List.copyOf(numbers));
        }

        boolean isManagement() {
            return MANAGEMENT.matcher(stem).matches();
        }

        /** The number that those behind the first {@code left} make; {@link #NONE} where they make none. */
        int number(int left) {
            List<Integer> rest = numbers.subList(left, numbers.size());
            if (rest.size() < 2) {
                return rest.isEmpty() ? NONE : rest.getFirst();
            }
            if (rest.size() > 3 || rest.subList(1, rest.size()).stream().anyMatch(number -> number >= STEP)) {
                return NONE;
            }
            long composed = 0;
            for (int number : rest) {
                composed = composed * STEP + number;
            }
            return composed + COMPOSED > MAX ? NONE : (int) composed + COMPOSED;
        }
    }
}
