/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import dev.fabricoperator.fabric.coordinate.Coordinate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a switch stands in its fabric.
 *
 * @param level 1 for a switch that holds devices, else 1 + the hops to the nearest such one; {@code null} where no
 *     device is in reach
 * @param group {@code null} for a switch above all groups
 * @param coordinates one per view; empty for a switch that holds no devices
 */
public record SwitchPosition(
        @Nullable Integer level, @Nullable Integer group, List<Coordinate> coordinates) {}
