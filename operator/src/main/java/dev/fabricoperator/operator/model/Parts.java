/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.operator.inventory.DeviceFacts;
import dev.fabricoperator.operator.inventory.FabricFacts;
import dev.fabricoperator.operator.inventory.SwitchFacts;
import dev.fabricoperator.operator.source.SourceNames;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The connected parts of the switch map, by number, the largest first. */
final class Parts {
    private final List<Components.Part> parts;
    private final Map<PortPeer, Integer> partOfEnd = new HashMap<>();
    private final Map<String, Integer> partOfSwitch = new HashMap<>();
    private final SwitchMap map;
    private final Claims claims;

    Parts(SwitchMap map, Claims claims) {
        this.map = map;
        this.claims = claims;
        this.parts = Components.parts(map.switches().values());
        for (int number = 0; number < parts.size(); number++) {
            for (PortPeer end : parts.get(number).ends()) {
                partOfEnd.put(end, number);
            }
            for (String id : parts.get(number).switches()) {
                partOfSwitch.put(id, number);
            }
        }
    }

    int count() {
        return parts.size();
    }

    Components.Part part(int number) {
        return parts.get(number);
    }

    /** The part that a cable ties the device to, {@code null} where no source shows one. */
    @Nullable
    Integer partOf(DeviceFacts device) {
        return claims.holds(device) ? partOfEnd.get(Claims.end(device)) : null;
    }

    /** Whether the Fabric's spec names a source of the part's switches. */
    boolean namesSourceOf(FabricFacts fabric, int part) {
        if (fabric.spec().sources().isEmpty()) {
            return false;
        }
        Set<String> named = new HashSet<>();
        for (TopologySource source : fabric.spec().sources()) {
            named.add(SourceNames.of(source));
        }
        return parts.get(part).switches().stream()
                .flatMap(id -> map.objects().getOrDefault(id, List.of()).stream())
                .map(SwitchFacts::source)
                .anyMatch(named::contains);
    }
}
