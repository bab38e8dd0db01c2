/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import dev.fabricoperator.fabric.coordinate.View;
import java.util.List;

/**
 * Where a device stands in the space that its plane spans.
 *
 * @param index slot of the device
 * @param dims number of axes
 * @param coordinate coarse to fine; empty for a device without a known cable
 * @param shape extent per axis: 1 + the largest value that a device has on it
 * @param shapeString for example {@code 4x8x18}
 * @see "PMIx Standard, pmix_geometry_t; PMIX_FABRIC_PLANE, PMIX_FABRIC_VIEW, PMIX_FABRIC_DIMS, PMIX_FABRIC_SHAPE,
 *     PMIX_FABRIC_SHAPE_STRING"
 */
public record Geometry(
        int index,
        String plane,
        View view,
        int dims,
        List<Integer> coordinate,
        List<Integer> shape,
        String shapeString) {
    public Geometry {
        coordinate = List.copyOf(coordinate);
        shape = List.copyOf(shape);
    }
}
