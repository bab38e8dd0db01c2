/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.traffic.HotSpots;
import dev.fabricoperator.fabric.traffic.PortRate;
import dev.fabricoperator.fabric.traffic.PortRates;
import dev.fabricoperator.formats.counters.PrometheusReader;
import dev.fabricoperator.formats.counters.PrometheusReader.PortCount;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one exporter says of the switches of one fabric, look by look. What could not be read changes nothing but what is said to be wrong, until that lasts for
 * {@value #MOST_FAILURES} looks: then nothing is known any more.
 */
final class Exporter {
    static final int MOST_FAILURES = 6;
    private static final int OCTETS_OF_WORD = 4;
    private static final int LONGEST_SHOWN = 40;

    private final CounterSource source;
    private final SteadyClock steady;
    private final Clock clock;
    private final PortRates<PortCounters.Port> rates = new PortRates<>();
    private final HotSpots<PortCounters.Port> hotSpots = new HotSpots<>();
    private @Nullable Instant asOf;
    private @Nullable String problem;
    private int failures;

    Exporter(CounterSource source, SteadyClock steady, Clock clock) {
        this.source = source;
        this.steady = steady;
        this.clock = clock;
    }

    /** Asks once; takes as long as the way allows. */
    void look(List<Switch> switches, MetricsWay way) throws InterruptedException {
        try {
            Instant began = steady.instant();
            Map<String, Map<String, PortCount>> counts = way.read(
                    source.url(), text -> PrometheusReader.read(source.url(), text, CounterNamesOf.source(source)));
            took(switches, counts, began);
        } catch (IOException | BadInputException e) {
            failed(Objects.requireNonNullElse(e.getMessage(), e.toString()));
        }
    }

    private synchronized void failed(String why) {
        problem = why;
        failures++;
        if (failures == MOST_FAILURES) {
            rates.forget();
            hotSpots.forget();
        }
    }

    private synchronized void took(List<Switch> switches, Map<String, Map<String, PortCount>> counts, Instant began) {
        Map<String, Map<String, PortCount>> byId = byId(switches, counts);
        Map<PortCounters.Port, PortRates.Reading<PortCounters.Port>> readings = new HashMap<>();
        int known = 0;
        for (Switch each : switches) {
            Map<Integer, PortCount> ports = byNumber(byId.getOrDefault(each.id(), Map.of()));
            for (SwitchPort port : each.ports()) {
                PortCount count = ports.get(port.number());
                if (port.peer() != null && count != null) {
                    known++;
                    readings.put(
                            new PortCounters.Port(each.id(), port.number()),
                            new PortRates.Reading<>(
                                    words(count.sent()),
                                    words(count.received()),
                                    count.waits(),
                                    count.discards(),
                                    Objects.requireNonNullElse(port.speedBitsPerSecond(), 0L),
                                    new PortCounters.Port(
                                            port.peer().id(), port.peer().port())));
                }
            }
        }
        Instant wall = clock.instant();
        rates.look(readings, began, wall);
        hotSpots.look(rates.rates(), wall);
        failures = 0;
        problem = known > 0
                ? null
                : source.url() + " tells of " + counts.size() + " switches, such as "
                        + DisplayText.shown(counts.keySet().iterator().next(), LONGEST_SHOWN)
                        + ", none of which has an id or a name of this fabric's with a port that is cabled: is switchLabel the right one?";
        if (rates.rates().values().stream().map(PortRate::bytesPerSecond).anyMatch(Objects::nonNull)) {
            asOf = wall;
        }
    }

    private static long words(long octets) {
        return octets == PortCount.UNKNOWN ? PortRates.UNKNOWN : octets / OCTETS_OF_WORD;
    }

    /** By ids of switches that the fabric has; a label is the id, in whatever spelling, or the name, behind which a port of TCP may stand. */
    private static Map<String, Map<String, PortCount>> byId(
            List<Switch> switches, Map<String, Map<String, PortCount>> counts) {
        Map<String, String> ids = new HashMap<>();
        for (Switch each : switches) {
            if (each.name() != null) {
                ids.putIfAbsent(NodeId.of(each.name()), each.id());
            }
        }
        switches.forEach(each -> ids.put(each.id(), each.id()));
        Map<String, Map<String, PortCount>> byId = new HashMap<>();
        counts.forEach((label, ports) -> {
            String id = ids.get(NodeId.of(label));
            if (id == null) {
                id = ids.get(NodeId.of(label.replaceFirst(":\\d{1,5}$", "")));
            }
            if (id != null) {
                byId.putIfAbsent(id, ports);
            }
        });
        return byId;
    }

    private static Map<Integer, PortCount> byNumber(Map<String, PortCount> ports) {
        Map<Integer, PortCount> byNumber = new HashMap<>();
        if (ports.keySet().stream().allMatch(name -> name.matches("[0-9]{1,5}"))) {
            ports.forEach((name, count) -> byNumber.put(Integer.parseInt(name), count));
        } else {
            PortNumbers.of(ports.keySet())
                    .forEach((name, number) -> byNumber.put(number, Objects.requireNonNull(ports.get(name))));
        }
        return byNumber;
    }

    synchronized PortTrafficAnswer answer() {
        return PortTrafficAnswer.of(rates.rates(), hotSpots.all(), asOf, problem, 0);
    }
}
