/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import java.util.ArrayList;
import java.util.Collection;
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
public final class EndClaims {
    private static final Comparator<FabricMember> FIRST_CLAIM = Comparator.comparing(
                    (FabricMember d) -> d.status() == null || d.status().switchId() == null)
            .thenComparing(FabricMember::createdAt)
            .thenComparing(FabricMember::name);

    private final Map<PortPeer, List<FabricMember>> contested = new HashMap<>();
    private final Set<String> losers = new HashSet<>();

    /** @param devices all of the cluster: also one of another fabric may claim a cable */
    public EndClaims(Collection<? extends FabricMember> devices) {
        Map<PortPeer, FabricMember> first = HashMap.newHashMap(devices.size());
        for (FabricMember device : devices) {
            FabricMember other = first.putIfAbsent(end(device), device);
            if (other != null) {
                contested
                        .computeIfAbsent(end(device), e -> new ArrayList<>(List.of(other)))
                        .add(device);
            }
        }
        for (List<FabricMember> claimants : contested.values()) {
            claimants.sort(FIRST_CLAIM);
            claimants.stream().skip(1).map(FabricMember::name).forEach(losers::add);
        }
    }

    /** The end that a device says it is. */
    public static PortPeer end(FabricMember device) {
        return new PortPeer(device.endId(), device.port());
    }

    /** Whether the cable that bears the device's GUID is taken to be this device's. */
    public boolean holds(FabricMember device) {
        return losers.isEmpty() || !losers.contains(device.name());
    }

    /** Devices on other nodes that claim the same GUID and port. */
    public List<FabricMember> rivals(FabricMember device) {
        return contested.isEmpty()
                ? List.of()
                : contested.getOrDefault(end(device), List.of()).stream()
                        .filter(other -> !other.nodeName().equals(device.nodeName()))
                        .toList();
    }

    /** How the topology calls the device: a name that no cable bears where another holds the GUID. */
    public String endId(FabricMember device) {
        return holds(device) ? device.endId() : device.nodeName() + "/" + device.osName();
    }
}
