/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two switches, a001 and a002, with a port each that leads to the other's. */
class PortTrafficTest {
    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");
    private static final long EDR = 100_000_000_000L;
    /** Words of four octets in a second: half of what the link carries. */
    private static final long HALF = EDR / 2 / 8 / 4;

    private static final List<Switch> SWEPT = List.of(leaf("a001", "a002"), leaf("a002", "a001"));

    private final PortTraffic traffic = new PortTraffic();

    private static Switch leaf(String id, String other) {
        return SwitchBuilder.builder()
                .id(id)
                .source("infiniband")
                .ports(List.of(SwitchPortBuilder.builder()
                        .number(1)
                        .peer(new PortPeer(other, 1))
                        .speedBitsPerSecond(EDR)
                        .build()))
                .build();
    }

    private static CounterLooks.Ended look(long second, Map<String, Map<String, Long>> counters) {
        Map<PortCounters.Port, Map<String, Long>> ports = new HashMap<>();
        counters.forEach((node, counted) -> ports.put(new PortCounters.Port(node, 1), counted));
        return new CounterLooks.Ended(NOON.plusSeconds(second), new PortCounters(ports, SWEPT.size(), true), null);
    }

    private static CounterLooks.Ended failed(long second, String why) {
        return new CounterLooks.Ended(NOON.plusSeconds(second), CounterLooks.FAILED, why);
    }

    private void data(long second, long sentWords) {
        Map<String, Long> counted = Map.of("PortXmitData", sentWords, "PortRcvData", sentWords);
        traffic.look(SWEPT, look(second, Map.of("a001", counted, "a002", counted)), NOON.plusSeconds(second));
    }

    private PortTrafficAnswer document() throws IOException {
        return new ObjectMapper()
                .readValue(new GZIPInputStream(new ByteArrayInputStream(traffic.document())), PortTrafficAnswer.class);
    }

    private PortTrafficAnswer.@Nullable Port port(String switchId) throws IOException {
        return Objects.requireNonNull(document().ports()).stream()
                .filter(each -> each.switchId().equals(switchId))
                .findFirst()
                .orElse(null);
    }

    @Test
    void aPassOverErrorsThatTakesLongMakesNoPortHot() throws IOException {
        traffic.others(look(0, Map.of()));
        data(40, 0);
        traffic.others(look(60, Map.of()));
        data(62, 22 * HALF);
        traffic.others(look(90, Map.of()));
        data(130, 90 * HALF);

        assertThat(port("a001"))
                .satisfies(port -> assertThat(port.utilisation()).isCloseTo(0.5, within(0.001)));
        assertThat(document().hotSpots()).isEmpty();
        assertThat(document().problem()).isNull();
    }

    @Test
    void waitsAreDatedByTheLookThatCountedThem() throws IOException {
        traffic.others(look(0, Map.of("a001", Map.of("PortXmitWait", 1L))));
        data(5, 0);
        // One for each eight octets, in ten seconds: a fifth of the time.
        traffic.others(look(10, Map.of("a001", Map.of("PortXmitWait", 1 + 10 * EDR / 8 / 8 / 5))));
        data(105, 0);

        assertThat(port("a001")).satisfies(port -> assertThat(port.waitShare()).isCloseTo(0.2, within(0.001)));
    }

    @Test
    void aSwitchThatHasNeverCountedAWaitIsNotSaidToWaitForNothing() throws IOException {
        for (int second = 0; second <= 90; second += 30) {
            traffic.others(look(second, Map.of("a001", Map.of("PortXmitWait", 7L))));
            data(second, second);
        }

        assertThat(port("a001")).satisfies(port -> assertThat(port.waitShare()).isZero());
        assertThat(port("a002")).satisfies(port -> {
            assertThat(port.waitShare()).isNull();
            assertThat(port.discards()).isZero();
        });
    }

    @Test
    void aLookThatFailedIsOfNoTimeAndSaysWhy() throws IOException {
        traffic.others(failed(0, "ibqueryerrors has not ended within 120 s"));
        traffic.look(SWEPT, failed(0, "no port"), NOON);
        assertThat(document().asOf()).isNull();
        assertThat(document().problem()).isEqualTo("no port");

        data(30, 0);
        assertThat(document().asOf()).as("one look makes no rate").isNull();
        assertThat(document().problem()).contains("120 s");
        data(60, HALF);
        assertThat(document().asOf()).isEqualTo("2026-11-28T12:01:00Z");

        traffic.look(SWEPT, failed(90, "no port"), NOON.plusSeconds(90));
        assertThat(document().asOf()).isEqualTo("2026-11-28T12:01:00Z");
        assertThat(document().problem()).isEqualTo("no port");
    }

    @Test
    void portsWhoseCountersStandAtTheirEndAreCounted() throws IOException {
        traffic.others(look(0, Map.of("a001", Map.of("PortXmitWait", 0xffff_ffffL))));
        data(0, 0);
        assertThat(document().portsAtEnd()).isEqualTo(1);

        traffic.others(look(30, Map.of()));
        data(30, 0);
        assertThat(document().portsAtEnd()).isNull();
    }
}
