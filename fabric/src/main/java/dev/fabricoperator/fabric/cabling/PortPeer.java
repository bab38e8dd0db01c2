/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * The far end of a cable.
 *
 * @param id node GUID (16 lower-case hex digits) of a switch or device, else a MAC or chassis id, else
 *     {@code host/osName}
 * @param port the far port's number, 0 where the source does not know it
 */
public record PortPeer(String id, int port) {
    // Keys of every map of cables. What records have of themselves is linked at its first use, which takes a command 10
    // ms.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PortPeer peer && port == peer.port && id.equals(peer.id);
    }

    @Override
    public int hashCode() {
        return 31 * id.hashCode() + port;
    }
}
