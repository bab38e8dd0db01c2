/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.traffic.HotSpots;
import dev.fabricoperator.fabric.traffic.PortRate;
import dev.fabricoperator.fabric.traffic.PortRates;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** How much the ports of the swept switches send, and which of them are hot; not safe for use by several threads. */
final class PortTraffic {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String SENT = "PortXmitData";
    private static final String RECEIVED = "PortRcvData";
    /** What is kept of a look at data. */
    static final Set<String> DATA = Set.of(SENT, RECEIVED);

    private static final String WAITS = "PortXmitWait";
    private static final String DISCARDS = "PortXmitDiscards";

    private static final CounterLooks.Ended NONE = new CounterLooks.Ended(Instant.MIN, CounterLooks.FAILED, null);

    private final PortRates<PortCounters.Port> rates = new PortRates<>();
    private final HotSpots<PortCounters.Port> hotSpots = new HotSpots<>();
    /** Those of which some port was printed with a number of waits: ports of others may have none because nobody counts them. */
    private final Set<String> countWaits = new HashSet<>();

    private CounterLooks.Ended others = NONE;
    private @Nullable Instant asOf;
    private @Nullable String problem;
    private int portsAtEnd;

    /** The last look at counters that are no data; they are taken up with the next look at data. */
    void others(CounterLooks.Ended look) {
        others = look;
        look.counters().ports().forEach((port, counted) -> {
            if (counted.containsKey(WAITS)) {
                countWaits.add(port.node());
            }
        });
    }

    /**
     * A look at data.
     *
     * @param wall when it ended, as people tell it
     */
    void look(List<Switch> swept, CounterLooks.Ended look, Instant wall) {
        PortCounters errors = others.counters();
        boolean isWhole = errors.complete() && errors.checked() >= swept.size();
        Map<PortCounters.Port, PortRates.Reading<PortCounters.Port>> readings = new HashMap<>();
        for (Switch each : swept) {
            long waitsUnlessPrinted = isWhole && countWaits.contains(each.id()) ? 0 : PortRates.UNKNOWN;
            for (SwitchPort port : each.ports()) {
                if (port.peer() != null) {
                    PortCounters.Port name = new PortCounters.Port(each.id(), port.number());
                    Map<String, Long> data = look.counters().ports().getOrDefault(name, Map.of());
                    Map<String, Long> counted = errors.ports().getOrDefault(name, Map.of());
                    readings.put(
                            name,
                            new PortRates.Reading<>(
                                    data.getOrDefault(SENT, PortRates.UNKNOWN),
                                    data.getOrDefault(RECEIVED, PortRates.UNKNOWN),
                                    counted.getOrDefault(WAITS, waitsUnlessPrinted),
                                    counted.getOrDefault(DISCARDS, isWhole ? 0 : PortRates.UNKNOWN),
                                    Objects.requireNonNullElse(port.speedBitsPerSecond(), 0L),
                                    new PortCounters.Port(
                                            port.peer().id(), port.peer().port())));
                }
            }
        }
        // Looks are as far apart as their beginnings: each asks all switches in the same order.
        rates.look(readings, look.began(), others.began(), wall);
        hotSpots.look(rates.rates(), wall);
        if (rates.rates().values().stream().anyMatch(PortTraffic::isKnown)) {
            asOf = wall;
        }
        problem = look.problem() == null ? others.problem() : look.problem();
        portsAtEnd = (int)
                readings.values().stream().filter(PortRates.Reading::isAtEnd).count();
    }

    private static boolean isKnown(PortRate rate) {
        return rate.bytesPerSecond() != null || rate.waitShare() != null || rate.discardsPerSecond() != null;
    }

    /** Links are trained anew. */
    void forget() {
        others = NONE;
        rates.forget();
        hotSpots.forget();
    }

    /** A {@link PortTrafficAnswer} without names and jobs, as JSON, compressed. */
    byte[] document() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            JSON.writeValue(gzip, PortTrafficAnswer.of(rates.rates(), hotSpots.all(), asOf, problem, portsAtEnd));
        }
        return bytes.toByteArray();
    }
}
