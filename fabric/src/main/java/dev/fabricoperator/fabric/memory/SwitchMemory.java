/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a switch stood.
 *
 * @param group {@code null} for a switch above all groups
 * @param logical its logical coordinate; empty for a switch that held no devices
 */
public record SwitchMemory(@Nullable Integer group, List<Integer> logical) {
    public SwitchMemory {
        logical = List.copyOf(logical);
    }
}
