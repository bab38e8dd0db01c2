/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.PlaneParts;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.EndClaims;
import dev.fabricoperator.view.mapping.SwitchMerge;
import dev.fabricoperator.view.mapping.SwitchParts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The connected parts of the switch map, by number, the largest first, and who names their sources. */
final class ConnectedParts {
    private final SwitchParts parts;
    private final SwitchMerge<SwitchFacts> map;
    private final Map<String, Set<String>> sourcesOf;
    /** {@code null} until it is asked: only devices that are in no Fabric ask. */
    private int @Nullable [] firstOfNetwork;

    /** @param sourcesOf by Fabric, the sources that its spec names */
    ConnectedParts(SwitchMerge<SwitchFacts> map, EndClaims claims, Map<String, Set<String>> sourcesOf) {
        this.map = map;
        this.sourcesOf = sourcesOf;
        this.parts = new SwitchParts(map.switches().values(), claims);
    }

    int count() {
        return parts.count();
    }

    Components.Part part(int number) {
        return parts.part(number);
    }

    /** The first part of the network of which it is a plane, itself where it is none. */
    int firstOfNetwork(int part) {
        if (firstOfNetwork == null) {
            List<Components.Part> all =
                    IntStream.range(0, parts.count()).mapToObj(parts::part).toList();
            firstOfNetwork = PlaneParts.firstOfNetwork(all, map.switches().values());
        }
        return firstOfNetwork[part];
    }

    /** The part that a cable ties the device to, {@code null} where no source shows one. */
    @Nullable
    Integer partOf(DeviceFacts device) {
        return parts.partOf(device);
    }

    /** Whether the Fabric's spec names a source of the part's switches. */
    boolean namesSourceOf(FabricFacts fabric, int part) {
        Set<String> named = sourcesOf.getOrDefault(fabric.name(), Set.of());
        if (named.isEmpty()) {
            return false;
        }
        return parts.part(part).switches().stream()
                .flatMap(id -> map.objects().getOrDefault(id, List.of()).stream())
                .map(SwitchFacts::source)
                .anyMatch(named::contains);
    }
}
