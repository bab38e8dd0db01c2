/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What service levels mean at ports that were asked, which are samples of a fabric.
 *
 * @param lanes each that some port has, by service level, the one that most ports have first
 */
public record ReadLevels(List<At> lanes) {
    private static final Comparator<At> ORDER = Comparator.comparingInt(
                    (At at) -> at.lane().serviceLevel())
            .thenComparingInt(at -> -at.ports())
            .thenComparing(At::example);

    /** Of a text: service level, lane, both weights, number of ports, one of them. */
    private static final Pattern LINE =
            Pattern.compile("(\\d{1,2}) (\\d{1,2}) (\\d{1,5}) (\\d{1,5}) (\\d{1,6}) (\\P{Cntrl}{1,96})");

    private static final int MOST_LINES = 256;

    /**
     * @param ports how many have it
     * @param example one of them, for a person
     */
    public record At(LevelLane lane, int ports, String example) {}

    public ReadLevels {
        lanes = lanes.stream().sorted(ORDER).limit(MOST_LINES).toList();
    }

    /** @param ports what was read, by what the port is called */
    public static ReadLevels of(Map<String, PortLanes> ports) {
        Map<LevelLane, List<String>> named = ports.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(entry -> IntStream.range(0, PortLanes.SERVICE_LEVELS)
                        .mapToObj(level -> Map.entry(entry.getValue().of(level), entry.getKey())))
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
        List<At> lanes = new ArrayList<>();
        named.forEach((lane, names) -> lanes.add(new At(lane, names.size(), names.getFirst())));
        return new ReadLevels(lanes);
    }

    /** A line for each; {@link #parse} reads it. */
    public String text() {
        return lanes.stream()
                .map(at -> at.lane().serviceLevel() + " " + at.lane().lane() + " "
                        + at.lane().highWeight() + " " + at.lane().lowWeight() + " " + at.ports() + " " + at.example())
                .collect(Collectors.joining("\n"));
    }

    /** {@code null} for a text that is none of these. */
    public static @Nullable ReadLevels parse(String text) {
        List<At> lanes = new ArrayList<>();
        for (String line : text.lines().limit(MOST_LINES).toList()) {
            Matcher match = LINE.matcher(line);
            if (!match.matches()) {
                return null;
            }
            LevelLane lane = new LevelLane(number(match, 1), number(match, 2), number(match, 3), number(match, 4));
            if (lane.serviceLevel() > Channel.MOST_SERVICE_LEVEL || lane.lane() > PortLanes.NO_LANE) {
                return null;
            }
            lanes.add(new At(lane, number(match, 5), match.group(6)));
        }
        return lanes.isEmpty() ? null : new ReadLevels(lanes);
    }

    private static int number(Matcher match, int group) {
        return Integer.parseInt(match.group(group));
    }

    /** What the level is at the ports that were asked, the one that most of them have first. */
    public List<At> of(int serviceLevel) {
        return lanes.stream()
                .filter(at -> at.lane().serviceLevel() == serviceLevel)
                .toList();
    }

    /** Why a level cannot be offered; {@code null} where every port that was asked serves it. */
    public @Nullable String fault(int serviceLevel) {
        for (At at : of(serviceLevel)) {
            if (at.lane().isDropped()) {
                return "packets of service level " + serviceLevel + " are dropped (virtual lane 15) at " + at.example()
                        + more(at);
            }
            if (!at.lane().isServed()) {
                return "virtual lane " + at.lane().lane() + " of service level " + serviceLevel
                        + " has no weight, so that its packets never have their turn, at " + at.example() + more(at);
            }
        }
        return null;
    }

    private static String more(At at) {
        return at.ports() == 1 ? "" : " and " + (at.ports() - 1) + " more of the ports that were asked";
    }

    /** Whether packets of both go by one lane, so that neither is served better. */
    public boolean areOneLane(int one, int other) {
        Map<Integer, Integer> lanes = new TreeMap<>();
        of(one).forEach(at -> lanes.merge(at.lane().lane(), at.ports(), Integer::sum));
        Map<Integer, Integer> others = new TreeMap<>();
        of(other).forEach(at -> others.merge(at.lane().lane(), at.ports(), Integer::sum));
        return !lanes.isEmpty() && lanes.equals(others);
    }
}
