/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.view.answer.DeviceIds;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The devices of one fabric by every name that they have. Immutable. */
public final class DeviceDirectory {
    private final SortedMap<Integer, ServedDevice> bySlot;
    private final DeviceIds<Integer> ids;

    DeviceDirectory(SortedMap<Integer, ServedDevice> bySlot) {
        this.bySlot = bySlot;
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

    /** Slots by all names. */
    public DeviceIds<Integer> ids() {
        return ids;
    }

    /** Devices of a node or host, by slot. O(these). */
    public List<Map.Entry<Integer, ServedDevice>> ofNode(String node) {
        return ids.ofNode(node).stream()
                .sorted()
                .map(slot -> Map.entry(slot, Objects.requireNonNull(bySlot.get(slot))))
                .toList();
    }
}
