/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import java.util.List;

/**
 * A place in one view of a plane. Coordinates say connectivity, not distance.
 *
 * @param values coarse to fine
 * @see "PMIx Standard, pmix_coord_t"
 */
public record Coordinate(View view, List<Integer> values) {
    public Coordinate {
        values = List.copyOf(values);
    }
}
