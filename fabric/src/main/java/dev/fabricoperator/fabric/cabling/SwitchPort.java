/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import dev.fabricoperator.fabric.device.PortState;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One port of a switch that a source mentions. Ports without a cable may be left out.
 *
 * @param number as printed on the switch, from 1
 * @param peer far end of the cable; {@code null} for a port without one, and for one that leads to something that is
 *     neither switch nor device, such as a SHARP aggregation node
 * @param speedBitsPerSecond nominal rate of all lanes together
 * @param width lanes
 * @param lid the switch's InfiniBand local identifier; all ports of a switch share that of its port 0
 * @param peerHost host that owns the device at the far end, where the source knows it
 * @param peerOsName operating system's name of that device, where the source knows it
 * @param peerType what stands at the far end; {@code null} where the source does not say: then it is a switch if some
 *     source describes one of that id, else a device
 */
@RecordBuilder
public record SwitchPort(
        int number,
        @Nullable PortPeer peer,
        PortState state,
        @Nullable Long speedBitsPerSecond,
        @Nullable Integer width,
        @Nullable Integer lid,
        @Nullable String peerHost,
        @Nullable String peerOsName,
        @Nullable NodeType peerType) {

    /** A port whose source does not say what stands at the far end. */
    public SwitchPort(
            int number,
            @Nullable PortPeer peer,
            PortState state,
            @Nullable Long speedBitsPerSecond,
            @Nullable Integer width,
            @Nullable Integer lid,
            @Nullable String peerHost,
            @Nullable String peerOsName) {
        this(number, peer, state, speedBitsPerSecond, width, lid, peerHost, peerOsName, null);
    }
}
