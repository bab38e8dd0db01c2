/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.served;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The devices of one fabric by every name that they have. Immutable. */
public final class Directory {
    private final SortedMap<Integer, ServedDevice> bySlot;
    private final Map<String, Integer> byName = new HashMap<>();
    private final Map<String, Integer> byDeviceId = new HashMap<>();
    private final Map<String, List<Integer>> byOther = new HashMap<>();

    Directory(SortedMap<Integer, ServedDevice> bySlot) {
        this.bySlot = bySlot;
        bySlot.forEach((slot, device) -> {
            byName.put(device.name(), slot);
            byDeviceId.put(device.deviceId(), slot);
            other(device.hostname() + "/" + device.osName(), slot);
            other(device.hostname() + "/" + device.osName() + ":" + device.port(), slot);
            if (device.nodeGuid() != null) {
                other(device.nodeGuid(), slot);
            }
            if (device.portGuid() != null && !device.portGuid().equals(device.nodeGuid())) {
                other(device.portGuid(), slot);
            }
        });
    }

    private void other(String id, int slot) {
        byOther.computeIfAbsent(id, i -> new ArrayList<>(1)).add(slot);
    }

    /** By slot, ascending. */
    public SortedMap<Integer, ServedDevice> devices() {
        return bySlot;
    }

    /** {@code null} for an empty slot. */
    public @Nullable ServedDevice at(int slot) {
        return bySlot.get(slot);
    }

    /** The slot of the device whose object has this name. */
    public @Nullable Integer named(String name) {
        return byName.get(name);
    }

    public @Nullable Integer withDeviceId(String deviceId) {
        return byDeviceId.get(deviceId);
    }

    /** Slots of all devices that may be meant by an object name, deviceId, GUID, or {@code host/osName[:port]}. */
    public List<Integer> meantBy(String id) {
        Integer exact = byName.getOrDefault(id, byDeviceId.get(id));
        return exact != null ? List.of(exact) : byOther.getOrDefault(id, List.of());
    }

    /** Devices of a node or host, by slot. */
    public List<Map.Entry<Integer, ServedDevice>> ofNode(String node) {
        return bySlot.entrySet().stream()
                .filter(e -> e.getValue().nodeName().equals(node)
                        || e.getValue().hostname().equals(node))
                .toList();
    }
}
