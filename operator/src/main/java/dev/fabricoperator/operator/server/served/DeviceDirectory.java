/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.view.answer.DeviceIds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The devices of one fabric by every name that they have. Immutable. */
public final class DeviceDirectory {
    private final SortedMap<Integer, ServedDevice> bySlot;
    private final DeviceIds<Integer> ids;
    /** By the name of the node, slots of devices whose host calls itself otherwise. */
    private final Map<String, List<Integer>> byOtherNode = new HashMap<>();

    DeviceDirectory(SortedMap<Integer, ServedDevice> bySlot) {
        this.bySlot = bySlot;
        bySlot.forEach((slot, device) -> {
            if (!device.nodeName().equals(device.hostname())) {
                byOtherNode
                        .computeIfAbsent(device.nodeName(), node -> new ArrayList<>())
                        .add(slot);
            }
        });
        ids = new DeviceIds<>(bySlot.keySet(), slot -> Objects.requireNonNull(bySlot.get(slot)));
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
        return first(ids.named(name));
    }

    public @Nullable Integer withDeviceId(String deviceId) {
        return first(ids.withDeviceId(deviceId));
    }

    private static @Nullable Integer first(List<Integer> slots) {
        return slots.isEmpty() ? null : slots.getFirst();
    }

    /** Slots of all devices that an id may mean, see {@link DeviceIds}. */
    public List<Integer> meantBy(String id) {
        return ids.meantBy(id);
    }

    /** Devices of a node or host, by slot. O(these). */
    public List<Map.Entry<Integer, ServedDevice>> ofNode(String node) {
        return Stream.concat(ids.ofHost(node).stream(), byOtherNode.getOrDefault(node, List.of()).stream())
                .sorted()
                .map(slot -> Map.entry(slot, Objects.requireNonNull(bySlot.get(slot))))
                .toList();
    }
}
