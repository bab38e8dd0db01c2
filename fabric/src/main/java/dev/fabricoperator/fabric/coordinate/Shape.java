/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Extent of the coordinates of a plane in one view. All planes of a fabric share its system of coordinates.
 *
 * @param dims number of axes
 * @param sizes per axis 1 + the largest value that a device has on it
 * @param string for example {@code 4x8x18}
 * @see "PMIx Standard, PMIX_FABRIC_DIMS, PMIX_FABRIC_SHAPE, PMIX_FABRIC_SHAPE_STRING"
 */
public record Shape(String plane, View view, int dims, List<Integer> sizes, String string) {
    public Shape {
        sizes = List.copyOf(sizes);
    }

    static Shape of(String plane, View view, List<Integer> sizes) {
        String string = sizes.stream().map(String::valueOf).collect(Collectors.joining("x"));
        return new Shape(plane, view, sizes.size(), sizes, string);
    }
}
