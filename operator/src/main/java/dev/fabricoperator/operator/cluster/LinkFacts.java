/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.NeighborRef;
import org.jspecify.annotations.Nullable;

/**
 * What an agent says of a cable; the port's state stands in {@link DeviceFacts#state}.
 *
 * @param neighbor what it leads to, {@code null} where nobody told
 */
public record LinkFacts(
        @Nullable Long speedBitsPerSecond, @Nullable NeighborRef neighbor) {
    static final LinkFacts NONE = new LinkFacts(null, null);

    static LinkFacts of(FabricDeviceSpec spec) {
        NeighborRef neighbor = spec.neighbor();
        return new LinkFacts(
                spec.speedBitsPerSecond(),
                neighbor == null ? null : new NeighborRef(neighbor.id().intern(), neighbor.port(), neighbor.source()));
    }
}
