/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import dev.fabricoperator.fabric.coordinate.Coordinate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a device stands in its fabric.
 *
 * @param switchId the switch that holds it; {@code null} without a known cable
 * @param switchPort the port of that switch
 * @param group of its host; {@code null} without a known cable
 * @param coordinates one per view
 */
public record DevicePosition(
        String plane,
        @Nullable String switchId,
        @Nullable Integer switchPort,
        @Nullable Integer group,
        List<Coordinate> coordinates) {}
