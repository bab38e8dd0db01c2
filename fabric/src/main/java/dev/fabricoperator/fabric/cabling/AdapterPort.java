/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * One port of an adapter that is known from a dump.
 *
 * @param number from 1, 0 for a device without numbered ports
 * @param portGuid 16 lower-case hex digits
 * @param lid InfiniBand local identifier
 * @param speedBitsPerSecond nominal rate of all lanes together
 * @param width lanes
 * @param peer far end of the cable; {@code null} without one
 */
public record AdapterPort(
        int number,
        @Nullable String portGuid,
        @Nullable Integer lid,
        @Nullable Long speedBitsPerSecond,
        @Nullable Integer width,
        @Nullable PortPeer peer) {}
