/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.memory;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.Map;
import java.util.Objects;

/**
 * Places that a fabric's parts had in the generation before, as statuses keep them: numbers are labels, and what did
 * not change keeps its label.
 *
 * @param kind name of the kind; empty when there was none
 * @param switches by id
 * @param devices by device end: node GUID or {@code host/osName}, and port
 */
public record Memory(String kind, Map<String, SwitchMemory> switches, Map<PortPeer, DeviceMemory> devices) {
    /** Of a fabric that nobody has seen before. */
    public static final Memory NONE = new Memory("", Map.of(), Map.of());

    public Memory {
        switches = Map.copyOf(switches);
        devices = Map.copyOf(devices);
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
