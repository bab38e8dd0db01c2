/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.fabric.MostFrequent;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.SwitchMerge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which Fabric a connected part of the switch map belongs to.
 *
 * <p>To that of most devices in it. A part that holds no device (spines cut off from their leaves) stays where its switches
 * were, else goes to a Fabric that names its source. A Fabric's topology has every part that holds a device of it, so that
 * two Fabrics which share switches both know their costs.
 */
final class PartOwners {
    private final Map<String, String> ownerOf = new HashMap<>();
    private final Map<String, TreeSet<String>> switchesOf = new HashMap<>();
    private final Map<String, Integer> managedElsewhere = new HashMap<>();

    PartOwners(Inventory inventory, ConnectedParts parts, SwitchMerge<SwitchFacts> map, Map<String, String> fabricOf) {
        List<Map<String, Integer>> members = new ArrayList<>();
        for (int part = 0; part < parts.count(); part++) {
            members.add(new TreeMap<>());
        }
        for (DeviceFacts device : inventory.devices()) {
            Integer part = parts.partOf(device);
            String fabric = fabricOf.get(device.name());
            if (part != null && fabric != null) {
                members.get(part).merge(fabric, 1, Integer::sum);
            }
        }
        for (int part = 0; part < parts.count(); part++) {
            Map<String, Integer> counts = members.get(part);
            int all = counts.values().stream().mapToInt(n -> n).sum();
            Set<String> ids = parts.part(part).switches();
            counts.forEach((fabric, count) -> {
                switchesOf.computeIfAbsent(fabric, f -> new TreeSet<>()).addAll(ids);
                managedElsewhere.merge(fabric, all - count, Integer::sum);
            });
            String owner = counts.isEmpty() ? ownerOfEmptyPart(inventory, parts, part, map) : most(counts);
            if (owner != null) {
                ids.forEach(id -> ownerOf.put(id, owner));
                switchesOf.computeIfAbsent(owner, f -> new TreeSet<>()).addAll(ids);
            }
        }
    }

    @Nullable
    String ownerOf(String switchId) {
        return ownerOf.get(switchId);
    }

    Set<String> switchesOf(String fabric) {
        return switchesOf.getOrDefault(fabric, new TreeSet<>());
    }

    /** Devices of other Fabrics that are cabled to the switches of this one. */
    int managedElsewhere(String fabric) {
        return managedElsewhere.getOrDefault(fabric, 0);
    }

    private static @Nullable String ownerOfEmptyPart(
            Inventory inventory, ConnectedParts parts, int part, SwitchMerge<SwitchFacts> map) {
        Set<String> existing = new HashSet<>();
        inventory.fabrics().stream().filter(f -> !f.deleting()).forEach(f -> existing.add(f.name()));
        Map<String, Integer> history = new TreeMap<>();
        for (String id : parts.part(part).switches()) {
            for (SwitchFacts object : map.objects().getOrDefault(id, List.of())) {
                FabricSwitchStatus status = object.status();
                String fabric = status == null ? null : status.fabric();
                if (fabric != null && existing.contains(fabric)) {
                    history.merge(fabric, 1, Integer::sum);
                }
            }
        }
        if (!history.isEmpty()) {
            return most(history);
        }
        return inventory.fabrics().stream()
                .filter(f -> !f.deleting() && parts.namesSourceOf(f, part))
                .map(FabricFacts::name)
                .findFirst()
                .orElse(null);
    }

    /** Of several, the one whose name comes first. */
    private static String most(Map<String, Integer> counts) {
        return MostFrequent.of(counts, Comparator.naturalOrder()).orElseThrow();
    }
}
