/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.numbering;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that the parts of a fabric have in one generation: planes, groups and coordinates, as statuses store them.
 * The next generation is given them, so that what did not change keeps its numbers.
 *
 * @param kind name of the fabric's kind; empty before the first generation
 * @param switches by id
 * @param devices by device end: node GUID or {@code host/osName}, and port
 */
public record Numbering(String kind, Map<String, OfSwitch> switches, Map<PortPeer, OfDevice> devices) {
    /** Of a fabric that has no generation yet. */
    public static final Numbering NONE = new Numbering("", Map.of(), Map.of());

    public Numbering {
        switches = Map.copyOf(switches);
        devices = Map.copyOf(devices);
    }

    /**
     * Numbers of a switch.
     *
     * @param group {@code null} for a switch above all groups
     * @param logical its logical coordinate; empty for a switch that holds no devices
     */
    public record OfSwitch(@Nullable Integer group, List<Integer> logical) {
        public OfSwitch {
            logical = List.copyOf(logical);
        }
    }

    /**
     * Numbers of a device.
     *
     * @param plane id of its plane, or the name that an administrator gave to it
     * @param group of its host
     * @param logical its logical coordinate, of which the last number is its position on its switch
     */
    public record OfDevice(String plane, @Nullable Integer group, List<Integer> logical) {
        public OfDevice {
            logical = List.copyOf(logical);
        }
    }

    public boolean isEmpty() {
        return switches.isEmpty() && devices.isEmpty();
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return Objects.hash(kind, switches.size(), devices.size());
    }
}
