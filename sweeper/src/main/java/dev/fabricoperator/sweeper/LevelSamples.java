/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.level.PortLanes;
import dev.fabricoperator.fabric.level.ReadLevels;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads back how switches map service levels to virtual lanes: at each sweep a port of some of them, so that a large subnet is not asked all at once. First come those
 * that did not serve a level when they were asked last, then all in turns. A subnet manager has one mapping for all ports between switches and to hosts, so that a few tell what it was told.
 */
final class LevelSamples {
    private static final int SWITCHES_AT_A_SWEEP = 8;
    /** Of them, those that did not serve a level. */
    private static final int FAULTY_AT_A_SWEEP = 4;
    /** A switch that does not answer takes its time; the others wait for the next sweep. */
    private static final Duration MOST = Duration.ofSeconds(3);
    /** What was read counts for so many turns. */
    private static final int TURNS = 2;

    private static final int NAME = 64;

    private final Subnet subnet;
    /** By id of the switch. */
    private final Map<String, Known> known = new HashMap<>();

    private long sweep;
    private int next;

    /** @param sweep in which it was read */
    private record Known(PortLanes lanes, long sweep) {}

    LevelSamples(Subnet subnet) {
        this.subnet = subnet;
    }

    /** What was read may be of before. */
    void forget() {
        known.clear();
    }

    /** Nobody wants to know; takes out what was said. */
    void none(Map<String, String> report) {
        forget();
        report.keySet()
                .removeAll(
                        Set.of(FabricApi.REPORT_LEVELS, FabricApi.REPORT_LEVELS_READ, FabricApi.REPORT_LEVELS_MESSAGE));
    }

    /**
     * Asks some more of the switches, and puts into the report what is known of all.
     *
     * @param serviceLevels that are to be served
     * @param time of this sweep, as the report says it
     */
    void put(List<Switch> swept, Set<Integer> serviceLevels, Map<String, String> report, String time)
            throws InterruptedException {
        List<Switch> cabled =
                swept.stream().filter(each -> cabledPort(each) != null).toList();
        Map<String, Switch> byId = new HashMap<>();
        cabled.forEach(each -> byId.put(each.id(), each));
        sweep++;
        long turn = cabled.size() / (SWITCHES_AT_A_SWEEP - FAULTY_AT_A_SWEEP) + 1L;
        known.entrySet()
                .removeIf(entry ->
                        !byId.containsKey(entry.getKey()) || entry.getValue().sweep() + TURNS * turn < sweep);
        String problem = ask(toAsk(cabled, byId, serviceLevels));
        Map<String, PortLanes> ports = new TreeMap<>();
        known.forEach((id, one) -> ports.put(port(Objects.requireNonNull(byId.get(id))), one.lanes()));
        if (ports.isEmpty()) {
            report.remove(FabricApi.REPORT_LEVELS);
        } else {
            report.put(FabricApi.REPORT_LEVELS, ReadLevels.of(ports).text());
            report.put(FabricApi.REPORT_LEVELS_READ, time);
        }
        if (problem == null && ports.size() < cabled.size()) {
            problem = "ports of " + ports.size() + " of " + cabled.size() + " switches have been asked so far";
        } else if (problem != null && !problem.equals(report.get(FabricApi.REPORT_LEVELS_MESSAGE))) {
            Sweeper.log(problem);
        }
        if (problem == null) {
            report.remove(FabricApi.REPORT_LEVELS_MESSAGE);
        } else {
            report.put(FabricApi.REPORT_LEVELS_MESSAGE, problem);
        }
    }

    private List<Switch> toAsk(List<Switch> cabled, Map<String, Switch> byId, Set<Integer> serviceLevels) {
        Predicate<Known> isFaulty = one ->
                serviceLevels.stream().anyMatch(level -> !one.lanes().of(level).isServed());
        List<Switch> asked = new ArrayList<>(known.entrySet().stream()
                .filter(entry -> isFaulty.test(entry.getValue()))
                .sorted(Map.Entry.comparingByValue((one, other) -> Long.compare(one.sweep(), other.sweep())))
                .limit(FAULTY_AT_A_SWEEP)
                .map(entry -> Objects.requireNonNull(byId.get(entry.getKey())))
                .toList());
        for (int step = 0; step < cabled.size() && asked.size() < SWITCHES_AT_A_SWEEP; step++) {
            Switch each = cabled.get(Math.floorMod(next++, cabled.size()));
            if (!asked.contains(each)) {
                asked.add(each);
            }
        }
        return asked;
    }

    /** Why one of them has not answered; {@code null} where all have that were asked in time. */
    private @Nullable String ask(List<Switch> switches) throws InterruptedException {
        String problem = null;
        long begun = System.nanoTime();
        for (Switch each : switches) {
            if (System.nanoTime() - begun > MOST.toNanos()) {
                break;
            }
            try {
                known.put(
                        each.id(), new Known(subnet.lanes(each.id(), Objects.requireNonNull(cabledPort(each))), sweep));
            } catch (IOException | BadInputException e) {
                problem = port(each) + ": " + e.getMessage();
            }
        }
        return problem;
    }

    private static @Nullable Integer cabledPort(Switch each) {
        return each.ports().stream()
                .filter(port -> port.peer() != null && port.number() > 0)
                .map(SwitchPort::number)
                .findFirst()
                .orElse(null);
    }

    /** Many switches have the name that they came with. */
    private static String port(Switch each) {
        String name = each.name() == null ? "" : each.name().replaceAll("\\p{Cntrl}", " ");
        return (name.isBlank() ? each.id() : name.substring(0, Math.min(NAME, name.length())) + " (" + each.id() + ")")
                + " port " + cabledPort(each);
    }
}
