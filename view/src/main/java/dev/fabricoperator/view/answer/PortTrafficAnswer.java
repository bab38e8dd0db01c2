/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.fabric.traffic.HotSpots;
import dev.fabricoperator.fabric.traffic.PortRate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much the ports of a fabric's switches send. A number that is not known is left out.
 *
 * @param fabric {@code null} where a sweep says it, which knows no Fabrics
 * @param asOf when the last look at the ports has told how much one of them sends, RFC 3339; {@code null} where none has yet
 * @param problem why the last look has told nothing, or not all; {@code null} where it has
 * @param ports those that send most first; {@code null} where only the hot ones are asked for
 * @param hotSpots those that are furthest above their limits first; {@code null} where they are not asked for
 * @param portsAtEnd ports with a counter that stands at its end: it tells nothing more until somebody clears it; {@code null} for none
 * @param jobsLeftOut jobs that are too large to say which ports they use; {@code null} for none
 * @see "docs/port-traffic.md"
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"fabric", "asOf", "problem", "ports", "hotSpots", "portsAtEnd", "jobsLeftOut"})
public record PortTrafficAnswer(
        @Nullable String fabric,
        @Nullable String asOf,
        @Nullable String problem,
        @Nullable List<Port> ports,
        @Nullable List<HotSpot> hotSpots,
        @Nullable Integer portsAtEnd,
        @Nullable Integer jobsLeftOut) {
    /**
     * What who reads counters knows, without names and jobs.
     *
     * @param portsAtEnd 0 for none
     */
    public static PortTrafficAnswer of(
            Map<PortCounters.Port, PortRate> rates,
            List<HotSpots.Hot<PortCounters.Port>> hotSpots,
            @Nullable Instant asOf,
            @Nullable String problem,
            int portsAtEnd) {
        List<Port> ports = new ArrayList<>(rates.size());
        rates.forEach((port, rate) -> ports.add(new Port(
                port.node(),
                null,
                port.number(),
                null,
                rate.bytesPerSecond(),
                rate.utilisation(),
                rate.waitShare(),
                rate.discardsPerSecond(),
                text(rate.asOf()))));
        List<HotSpot> hot = new ArrayList<>(hotSpots.size());
        for (HotSpots.Hot<PortCounters.Port> each : hotSpots) {
            hot.add(new HotSpot(
                    each.port().node(),
                    null,
                    each.port().number(),
                    null,
                    each.why(),
                    each.value(),
                    each.since().truncatedTo(ChronoUnit.MILLIS).toString(),
                    null));
        }
        return new PortTrafficAnswer(null, text(asOf), problem, ports, hot, portsAtEnd == 0 ? null : portsAtEnd, null);
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /**
     * A port of a switch.
     *
     * @param switchId its GUID
     * @param name of the switch
     * @param peer what stands at the other end, such as {@code leaf-1 port 3}
     * @param bytesPerSecond that it sends
     * @param utilisation share of what its link can carry
     * @param waitShare share of the time that it had something to send and could not
     * @param discards packets that it has thrown away, in a second
     * @param asOf when {@code bytesPerSecond} was known last
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({
        "switch",
        "name",
        "port",
        "peer",
        "bytesPerSecond",
        "utilisation",
        "waitShare",
        "discards",
        "asOf"
    })
    public record Port(
            @JsonProperty("switch") String switchId,
            @Nullable String name,
            int port,
            @Nullable String peer,
            @Nullable Long bytesPerSecond,
            @Nullable Double utilisation,
            @Nullable Double waitShare,
            @Nullable Double discards,
            @Nullable String asOf) {}

    /**
     * A port that holds others up.
     *
     * @param why {@code null} where a later version has written a reason that this one does not know
     * @param value of what {@code why} names
     * @param since RFC 3339
     * @param jobs whose packets pass the port, or may; {@code null} where nobody looks for them
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"switch", "name", "port", "peer", "why", "value", "since", "jobs"})
    public record HotSpot(
            @JsonProperty("switch") String switchId,
            @Nullable String name,
            int port,
            @Nullable String peer,

            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL) @Nullable
            HotReason why,

            double value,
            String since,
            @Nullable List<Job> jobs) {}

    /**
     * A job at a port.
     *
     * @param name of what controls its pods
     * @param bytesPerSecond of it that leave by the port; {@code null} where its pods do not tell now what they send
     * @param share of all that the port sends; {@code null} where either is not known
     * @param basis {@code routes} where forwarding tables lead its packets over the port, {@code cheapest} where the cheapest path does
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"namespace", "name", "bytesPerSecond", "share", "basis"})
    public record Job(
            String namespace,
            String name,
            @Nullable Long bytesPerSecond,
            @Nullable Double share,
            Path.Basis basis) {}
}
