/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.device.PortState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Elements of UFM's responses as they were read; GUIDs are 0 where they are absent. */
final class UfmObjects {
    private UfmObjects() {}

    /** What a system or node is. */
    enum Kind {
        SWITCH,
        DEVICE,
        /** Computes inside a switch (SHARP). */
        AGGREGATION,
        /** Leads to another subnet. */
        ROUTER,
        UNKNOWN;

        boolean isLeftOut() {
            return this == AGGREGATION || this == ROUTER;
        }
    }

    /**
     * A host or a switch, of which a director has many nodes and a host many adapters.
     *
     * @param ports their names
     */
    record UfmSystem(
            int line,
            long guid,
            Kind kind,
            @Nullable String name,
            @Nullable String vendor,
            @Nullable String model,
            List<PortId> ports) {}

    /**
     * One port.
     *
     * @param system GUID of the system that it is part of
     * @param peerNode GUID of the node, other than that of the port, at the far end
     */
    record UfmPort(
            int line,
            PortId id,
            long system,
            Kind kind,
            @Nullable String label,
            @Nullable String description,
            PortState state,
            @Nullable Long speedBitsPerSecond,
            @Nullable Integer width,
            @Nullable Integer lid,
            @Nullable PortId peer,
            long peerNode,
            @Nullable String peerLabel,
            @Nullable String peerDescription) {}

    /**
     * One end of a cable.
     *
     * @param system GUID of the system that it is part of
     * @param label how the port is marked: {@code 15}, {@code 1/3/1}, {@code HCA-2/1}
     * @param description of the node; a switch's ends in a colon and the label
     */
    record End(
            PortId port,
            long system,
            @Nullable String label,
            @Nullable String description) {}

    record UfmLink(
            int line, End source, End destination, @Nullable Integer width) {}
}
