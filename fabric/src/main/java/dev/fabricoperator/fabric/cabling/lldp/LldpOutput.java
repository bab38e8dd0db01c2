/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lldp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one system answered about its neighbours.
 *
 * @param system what the text calls the system that was asked, {@code null} where it does not say
 * @param chassisId the chassis ID by which its neighbours know it, {@code null} where the text does not say
 * @param line where its answer begins
 */
public record LldpOutput(@Nullable String system, @Nullable String chassisId, int line, List<LldpNeighbor> neighbors) {
    public LldpOutput {
        neighbors = List.copyOf(neighbors);
    }
}
