/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Device indices of one Fabric.
 *
 * <p>Who has an index keeps it. Where two have the same (a status was edited, or restored from a backup), the object that
 * was created first keeps it, then the lower name. Everybody else gets the lowest free one, in the offline order of the
 * contract ({@link Device#OFFLINE_ORDER}), so that a fabric that is seen whole for the first time is numbered as the
 * command line numbers it.
 */
final class DeviceIndices {
    private static final Comparator<DeviceFacts> SENIORITY =
            Comparator.comparing(DeviceFacts::createdAt).thenComparing(DeviceFacts::name);
    private static final Comparator<DeviceFacts> NEWCOMERS = Comparator.comparing(DeviceFacts::hostname)
            .thenComparing(DeviceFacts::endId)
            .thenComparingInt(DeviceFacts::port)
            .thenComparing(DeviceFacts::name);

    private DeviceIndices() {}

    /** @param present index that a device has in this Fabric now */
    static SortedMap<Integer, DeviceFacts> assign(
            List<DeviceFacts> members, Function<DeviceFacts, @Nullable Integer> present) {
        SortedMap<Integer, DeviceFacts> slots = new TreeMap<>();
        List<DeviceFacts> newcomers = new ArrayList<>();
        for (DeviceFacts device : members) {
            Integer index = present.apply(device);
            DeviceFacts other = index == null ? null : slots.putIfAbsent(index, device);
            if (index == null) {
                newcomers.add(device);
            } else if (other != null && SENIORITY.compare(device, other) < 0) {
                slots.put(index, device);
                newcomers.add(other);
            } else if (other != null) {
                newcomers.add(device);
            }
        }
        newcomers.sort(NEWCOMERS);
        int slot = 0;
        for (DeviceFacts device : newcomers) {
            while (slots.containsKey(slot)) {
                slot++;
            }
            slots.put(slot, device);
        }
        return slots;
    }
}
