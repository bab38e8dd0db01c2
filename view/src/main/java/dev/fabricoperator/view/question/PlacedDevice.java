/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.answer.NamedDevice;
import java.util.Objects;

/**
 * A device that a question is about.
 *
 * @param slot one that is in use
 */
public record PlacedDevice(FabricView fabric, int slot) {
    NamedDevice device() {
        return Objects.requireNonNull(fabric.device(slot));
    }

    /** 65535 to a device of another fabric: no cable leads there. */
    int cost(PlacedDevice to) {
        return fabric == to.fabric ? fabric.model().cost().cost(slot, to.slot) : CostMatrix.UNREACHABLE;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PlacedDevice(FabricView of, int at) && of == fabric && at == slot;
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(fabric) + slot;
    }
}
