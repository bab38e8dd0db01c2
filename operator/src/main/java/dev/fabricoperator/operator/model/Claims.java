/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.operator.inventory.DeviceFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who holds which end of a cable.
 *
 * <p>A node GUID and port that several devices claim goes to the one that was cabled by it already, else to the object
 * that was created first, else to the lower name: never to the last writer. The others keep their index and have no
 * cable.
 */
final class Claims {
    private static final Comparator<DeviceFacts> FIRST_CLAIM = Comparator.comparing(
                    (DeviceFacts d) -> d.status() == null || d.status().switchId() == null)
            .thenComparing(DeviceFacts::createdAt)
            .thenComparing(DeviceFacts::name);

    private final Map<PortPeer, List<DeviceFacts>> contested = new HashMap<>();
    private final Set<String> losers = new HashSet<>();

    Claims(List<DeviceFacts> devices) {
        Map<PortPeer, DeviceFacts> first = new HashMap<>();
        for (DeviceFacts device : devices) {
            DeviceFacts other = first.putIfAbsent(end(device), device);
            if (other != null) {
                contested
                        .computeIfAbsent(end(device), e -> new ArrayList<>(List.of(other)))
                        .add(device);
            }
        }
        for (List<DeviceFacts> claimants : contested.values()) {
            claimants.sort(FIRST_CLAIM);
            claimants.stream().skip(1).map(DeviceFacts::name).forEach(losers::add);
        }
    }

    static PortPeer end(DeviceFacts device) {
        return new PortPeer(device.endId(), device.port());
    }

    /** Whether the cable that bears the device's GUID is taken to be this device's. */
    boolean holds(DeviceFacts device) {
        return !losers.contains(device.name());
    }

    /** Devices on other nodes that claim the same GUID and port. */
    List<DeviceFacts> rivals(DeviceFacts device) {
        return contested.getOrDefault(end(device), List.of()).stream()
                .filter(other -> !other.nodeName().equals(device.nodeName()))
                .toList();
    }

    /** How the topology calls the device: a name that no cable bears where another holds the GUID. */
    String endId(DeviceFacts device) {
        return holds(device) ? device.endId() : device.nodeName() + "/" + device.osName();
    }
}
