/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a device stood.
 *
 * @param group of its host
 * @param logical its logical coordinate, the last number being its position
 */
public record DeviceMemory(String plane, @Nullable Integer group, List<Integer> logical) {
    public DeviceMemory {
        logical = List.copyOf(logical);
    }
}
