/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Signs of a link that is about to fail: the one table of files, limits and windows.
 *
 * <p>The limits of InfiniBand's counters are those that infiniband-diags ships as a proposal in {@code error_thresholds}; there they hold for
 * whatever has been counted since somebody cleared the counters, here for a window. The largest values are those of
 * PortCounters, which stay at their maximum until somebody clears them.
 *
 * @see "infiniband-diags, etc/error_thresholds"
 * @see "InfiniBand Architecture Specification, volume 1, 16.1.3.5, PortCounters"
 * @see "Linux Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-class-net, testing/sysfs-class-net-statistics"
 */
public enum LinkFault {
    SymbolErrors(
            Place.Port,
            "counters/symbol_error",
            "SymbolErrorCounter",
            0xffff,
            10,
            Duration.ofMinutes(1),
            "symbol errors"),
    LinkErrorRecoveries(
            Place.Port,
            "counters/link_error_recovery",
            "LinkErrorRecoveryCounter",
            0xff,
            10,
            Duration.ofMinutes(10),
            "link error recoveries"),
    LinkDowns(
            Place.Port,
            "counters/link_downed",
            "LinkDownedCounter",
            0xff,
            10,
            Duration.ofMinutes(10),
            "failed link error recoveries"),
    ReceiveErrors(
            Place.Port,
            "counters/port_rcv_errors",
            "PortRcvErrors",
            0xffff,
            10,
            Duration.ofMinutes(1),
            "receive errors"),
    LocalLinkIntegrityErrors(
            Place.Port,
            "counters/local_link_integrity_errors",
            "LocalLinkIntegrityErrors",
            0xf,
            10,
            Duration.ofMinutes(1),
            "local link integrity errors"),
    ExcessiveBufferOverruns(
            Place.Port,
            "counters/excessive_buffer_overrun_errors",
            "ExcessiveBufferOverrunErrors",
            0xf,
            10,
            Duration.ofMinutes(1),
            "excessive buffer overruns"),
    /** RoCE packets whose invariant CRC is wrong: they were damaged on their way. */
    InvariantCrcErrors(
            Place.Port,
            "hw_counters/rx_icrc_encapsulated",
            null,
            Long.MAX_VALUE,
            10,
            Duration.ofMinutes(1),
            "packets with a wrong invariant CRC"),
    FrameCheckErrors(
            Place.Interface,
            "statistics/rx_crc_errors",
            null,
            Long.MAX_VALUE,
            10,
            Duration.ofMinutes(1),
            "frames with a wrong check sequence"),
    /** A link that goes down and comes back changes it twice. */
    CarrierChanges(
            Place.Interface,
            "carrier_changes",
            null,
            Long.MAX_VALUE,
            20,
            Duration.ofMinutes(10),
            "changes of the carrier"),
    /** Whole degrees Celsius; the limit is the card's own critical mark. */
    Temperature(Place.Card, "", null, Long.MAX_VALUE, 0, Duration.ZERO, "degrees Celsius");

    /** Whose directory a file is in. */
    public enum Place {
        /** {@code /sys/class/infiniband/DEVICE/ports/PORT}. */
        Port,
        /** {@code /sys/class/net/INTERFACE}. */
        Interface,
        /** {@code hwmon} of the bus device. */
        Card
    }

    private final Place place;
    private final String file;
    private final @Nullable String counter;
    private final long maximum;
    private final long limit;
    private final Duration window;
    private final String words;

    LinkFault(
            Place place,
            String file,
            @Nullable String counter,
            long maximum,
            long limit,
            Duration window,
            String words) {
        this.place = place;
        this.file = file;
        this.counter = counter;
        this.maximum = maximum;
        this.limit = limit;
        this.window = window;
        this.words = words;
    }

    public Place place() {
        return place;
    }

    /** Path below {@link #place}; empty for a temperature, of which a card has several. */
    public String file() {
        return file;
    }

    /** The same of PortCounters, as infiniband-diags names it, by which switches are asked; {@code null} where they count no such thing. */
    public @Nullable String counter() {
        return counter;
    }

    /** Value that the counter never leaves again once it is reached. */
    public long maximum() {
        return maximum;
    }

    /** More than this within {@link #window} is one too many. */
    public long limit() {
        return limit;
    }

    public Duration window() {
        return window;
    }

    /** What is counted, in words for an administrator. */
    public String words() {
        return words;
    }

    /** How long there must be no sign of it until it is over, the first time. */
    public Duration quiet() {
        return this == Temperature ? Duration.ofMinutes(1) : Duration.ofMinutes(5);
    }

    /** Whether it counts that the link went down or came up, and not what went wrong while it was up. */
    boolean isTransition() {
        return this == LinkDowns || this == CarrierChanges;
    }
}
