/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.fabric.cost.CostMatrix;
import org.jspecify.annotations.Nullable;

/** Values as tables show them to people. */
final class CellFormat {
    private CellFormat() {}

    static String cost(int cost) {
        return cost == CostMatrix.UNREACHABLE ? "unreachable" : Integer.toString(cost);
    }

    static @Nullable String gigabits(@Nullable Long bitsPerSecond) {
        if (bitsPerSecond == null) {
            return null;
        }
        double gigabits = bitsPerSecond / 1e9;
        return gigabits == Math.rint(gigabits) ? Long.toString(Math.round(gigabits)) : Double.toString(gigabits);
    }
}
