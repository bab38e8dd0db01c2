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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads back how switches map service levels to virtual lanes: at each sweep a port of some of them, in turns, so that a large subnet is not asked all at
 * once. A subnet manager has one mapping for all ports between switches and to hosts, so that a few tell what it was told.
 */
final class LevelSamples {
    private static final int SWITCHES_AT_A_SWEEP = 8;
    /** A switch that does not answer takes its time; the others wait for the next sweep. */
    private static final Duration MOST = Duration.ofSeconds(3);

    private static final int NAME = 64;

    private final Subnet subnet;
    /** By id of the switch. */
    private final Map<String, PortLanes> known = new HashMap<>();

    private int next;

    LevelSamples(Subnet subnet) {
        this.subnet = subnet;
    }

    /** Takes out what was said. */
    void none(Map<String, String> report) {
        known.clear();
        report.remove(FabricApi.REPORT_LEVELS);
        report.remove(FabricApi.REPORT_LEVELS_MESSAGE);
    }

    /** Asks some more of the switches, and puts into the report what is known of all. */
    void put(List<Switch> swept, Map<String, String> report) throws InterruptedException {
        Map<String, String> names =
                swept.stream().collect(Collectors.toMap(Switch::id, LevelSamples::port, (one, other) -> one));
        known.keySet().retainAll(names.keySet());
        String problem = null;
        long begun = System.nanoTime();
        for (int asked = 0; asked < Math.min(SWITCHES_AT_A_SWEEP, swept.size()); asked++) {
            Switch each = swept.get(Math.floorMod(next++, swept.size()));
            Integer port = cabled(each);
            if (port != null) {
                try {
                    known.put(each.id(), subnet.lanes(each.id(), port));
                } catch (IOException | BadInputException e) {
                    problem = names.get(each.id()) + ": " + e.getMessage();
                }
            }
            if (System.nanoTime() - begun > MOST.toNanos()) {
                break;
            }
        }
        Map<String, PortLanes> ports = new TreeMap<>();
        known.forEach((id, lanes) -> ports.put(Objects.requireNonNull(names.get(id)), lanes));
        if (ports.isEmpty()) {
            report.remove(FabricApi.REPORT_LEVELS);
        } else {
            report.put(FabricApi.REPORT_LEVELS, ReadLevels.of(ports).text());
        }
        if (problem == null) {
            report.remove(FabricApi.REPORT_LEVELS_MESSAGE);
        } else if (!problem.equals(report.put(FabricApi.REPORT_LEVELS_MESSAGE, problem))) {
            Sweeper.log(problem);
        }
    }

    private static @Nullable Integer cabled(Switch each) {
        return each.ports().stream()
                .filter(port -> port.peer() != null && port.number() > 0)
                .map(SwitchPort::number)
                .findFirst()
                .orElse(null);
    }

    private static String port(Switch each) {
        String name = Objects.requireNonNullElse(each.name(), each.id()).replaceAll("\\p{Cntrl}", " ");
        return name.substring(0, Math.min(NAME, name.length())) + " port " + cabled(each);
    }
}
