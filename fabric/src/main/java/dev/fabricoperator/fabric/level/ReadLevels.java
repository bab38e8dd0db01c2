/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What service levels mean at ports that were asked, which are samples of a fabric.
 *
 * @param samples each way of sending that some port has, the one that most ports have first
 */
public record ReadLevels(List<Sample> samples) {
    private static final Comparator<Sample> ORDER =
            Comparator.comparingInt((Sample sample) -> -sample.ports()).thenComparing(Sample::example);

    private static final String NONE = "-";
    private static final String NUMBERS = "([0-9,]{1,96})";
    private static final String WEIGHTS = "([0-9,]{1,96}|-)";
    /** Number of ports, lanes by service level, weights by lane in both tables, one of the ports. */
    private static final Pattern LINE =
            Pattern.compile("(\\d{1,6}) " + NUMBERS + " " + WEIGHTS + " " + WEIGHTS + " (\\P{Cntrl}{1,128})");

    /** A subnet manager has one way, or a few. */
    private static final int MOST_SAMPLES = 32;

    /**
     * @param ports how many send so
     * @param example one of them, for a person
     */
    public record Sample(PortLanes lanes, int ports, String example) {}

    public ReadLevels {
        samples = samples.stream().sorted(ORDER).limit(MOST_SAMPLES).toList();
    }

    /** @param ports what was read, by what the port is called, each otherwise */
    public static ReadLevels of(Map<String, PortLanes> ports) {
        Map<PortLanes, List<String>> named = ports.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        List<Sample> samples = new ArrayList<>();
        named.forEach((lanes, names) -> samples.add(new Sample(lanes, names.size(), names.getFirst())));
        return new ReadLevels(samples);
    }

    /** Both together, as of two subnets. */
    public ReadLevels and(ReadLevels other) {
        return new ReadLevels(
                Stream.concat(samples.stream(), other.samples().stream()).toList());
    }

    /** A line for each; {@link #parse} reads it. */
    public String text() {
        return samples.stream()
                .map(sample -> sample.ports() + " " + text(sample.lanes().laneOfServiceLevel()) + " "
                        + text(sample.lanes().highWeights()) + " "
                        + text(sample.lanes().lowWeights()) + " " + sample.example())
                .collect(Collectors.joining("\n"));
    }

    private static String text(List<Integer> numbers) {
        return numbers.isEmpty() ? NONE : numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** {@code null} for a text that is none of these. */
    public static @Nullable ReadLevels parse(String text) {
        List<Sample> samples = new ArrayList<>();
        for (String line : text.lines().limit(MOST_SAMPLES).toList()) {
            Matcher match = LINE.matcher(line);
            if (!match.matches()) {
                return null;
            }
            try {
                samples.add(new Sample(
                        new PortLanes(numbers(match.group(2)), numbers(match.group(3)), numbers(match.group(4))),
                        Integer.parseInt(match.group(1)),
                        match.group(5)));
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return samples.isEmpty() ? null : new ReadLevels(samples);
    }

    private static List<Integer> numbers(String text) {
        return text.equals(NONE)
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    }

    /** What the level is at most of the ports that were asked. */
    public LevelLane of(int serviceLevel) {
        return samples.stream()
                .collect(Collectors.groupingBy(
                        sample -> sample.lanes().of(serviceLevel), Collectors.summingInt(Sample::ports)))
                .entrySet()
                .stream()
                .max(Map.Entry.<LevelLane, Integer>comparingByValue()
                        .thenComparing(entry -> -entry.getKey().lane()))
                .orElseThrow()
                .getKey();
    }

    /** Why a level cannot be offered; {@code null} where every port that was asked serves it. */
    public @Nullable String fault(int serviceLevel) {
        for (Sample sample : samples) {
            LevelLane lane = sample.lanes().of(serviceLevel);
            String at = " at " + sample.example()
                    + (sample.ports() == 1
                            ? ""
                            : " and " + (sample.ports() - 1) + " more of the ports that were asked");
            if (lane.isDropped()) {
                return "packets of service level " + serviceLevel + " are dropped (virtual lane 15)" + at;
            }
            if (!lane.isServed()) {
                return "virtual lane " + lane.lane() + " of service level " + serviceLevel
                        + " has no weight, so that its packets never have their turn," + at;
            }
        }
        return null;
    }

    /** Whether packets of both go by one lane at each port that was asked, so that neither is served better. */
    public boolean areOneLane(int one, int other) {
        return samples.stream()
                .allMatch(sample -> sample.lanes().of(one).lane()
                        == sample.lanes().of(other).lane());
    }
}
