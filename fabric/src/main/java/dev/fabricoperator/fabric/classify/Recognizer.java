/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/** Knows one kind of fabric. Pure: the same wiring gives the same answer. */
interface Recognizer {
    /** {@code null} where the wiring is something else. */
    @Nullable
    Classification recognize(Topology topology, EdgeHops hops);
}
