/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import org.jspecify.annotations.Nullable;

/**
 * A managed fabric device in its slot.
 *
 * @param index the slot, from 0
 * @param id node GUID, else {@code host/osName}, as cables name it
 * @param port from 1, 0 for a device without numbered ports
 * @param host {@code null} where nobody knows which host it sits in
 * @param osName the kernel's name; puts the rails of a rail-optimised fabric into the order that hosts know them by
 * @param use what somebody said of it
 */
public record Vertex(
        int index,
        String id,
        int port,
        @Nullable String host,
        @Nullable String osName,
        Use use) {

    /** Whether a device says where its host is. */
    public enum Use {
        /** Nobody said it: the wiring tells. */
        Unsaid,
        /** It is for computing: its host is where it is. */
        Compute,
        /** It is for something else, such as storage. */
        Other
    }

    public Vertex(int index, String id, int port, @Nullable String host, @Nullable String osName) {
        this(index, id, port, host, osName, Use.Unsaid);
    }

    public Vertex(int index, String id, int port, @Nullable String host) {
        this(index, id, port, host, null);
    }
}
