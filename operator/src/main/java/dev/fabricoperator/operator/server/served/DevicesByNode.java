/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The devices of each node, kept up to date change by change. One thread changes it, any may ask. */
final class DevicesByNode {
    private static final Comparator<ServedDevice> ORDER = Comparator.comparing(ServedDevice::name);

    /** No list is ever changed. */
    private final ConcurrentMap<String, List<ServedDevice>> byNode = new ConcurrentHashMap<>();

    /**
     * O(devices of the node).
     *
     * @param before {@code null} for a new device
     * @param after {@code null} for one that is gone
     */
    void changed(@Nullable ServedDevice before, @Nullable ServedDevice after) {
        if (before != null && (after == null || !before.nodeName().equals(after.nodeName()))) {
            replace(before.nodeName(), before.name(), null);
        }
        if (after != null) {
            replace(after.nodeName(), after.name(), after);
        }
    }

    private void replace(String node, String name, @Nullable ServedDevice by) {
        byNode.compute(node, (key, devices) -> {
            List<ServedDevice> next = new ArrayList<>(devices == null ? List.of() : devices);
            next.removeIf(device -> device.name().equals(name));
            if (by != null) {
                next.add(by);
                next.sort(ORDER);
            }
            return next.isEmpty() ? null : List.copyOf(next);
        });
    }

    /** In the order of their names. */
    List<ServedDevice> of(String node) {
        return byNode.getOrDefault(node, List.of());
    }
}
