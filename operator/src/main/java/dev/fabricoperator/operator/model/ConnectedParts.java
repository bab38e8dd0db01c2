/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.mapping.EndClaims;
import dev.fabricoperator.crds.mapping.SwitchMerge;
import dev.fabricoperator.crds.mapping.SwitchParts;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SourceNames;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The connected parts of the switch map, by number, the largest first, and who names their sources. */
final class ConnectedParts {
    private final SwitchParts parts;
    private final SwitchMerge<SwitchFacts> map;

    ConnectedParts(SwitchMerge<SwitchFacts> map, EndClaims claims) {
        this.map = map;
        this.parts = new SwitchParts(map.switches().values(), claims);
    }

    int count() {
        return parts.count();
    }

    Components.Part part(int number) {
        return parts.part(number);
    }

    /** The part that a cable ties the device to, {@code null} where no source shows one. */
    @Nullable
    Integer partOf(DeviceFacts device) {
        return parts.partOf(device);
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
        return parts.part(part).switches().stream()
                .flatMap(id -> map.objects().getOrDefault(id, List.of()).stream())
                .map(SwitchFacts::source)
                .anyMatch(named::contains);
    }
}
