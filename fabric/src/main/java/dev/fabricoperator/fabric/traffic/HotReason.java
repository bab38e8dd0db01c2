/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Why a port is a hot spot: more than the limit. The limits are no setting. */
public enum HotReason {
    /** It sends nearly as much as its link can carry. */
    Utilisation(0.7, PortRate::utilisation),
    /** It has something to send, and the other end has no room for it. */
    Waiting(0.1, PortRate::waitShare),
    /** It throws packets away, in a second. */
    Discards(1, PortRate::discardsPerSecond);

    private final double limit;
    private final Function<PortRate, @Nullable Double> value;

    HotReason(double limit, Function<PortRate, @Nullable Double> value) {
        this.limit = limit;
        this.value = value;
    }

    public double limit() {
        return limit;
    }

    /** {@code null} where it is not known. */
    public @Nullable Double of(PortRate rate) {
        return value.apply(rate);
    }
}
