/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

/** The kind of network, concluded from the wiring alone. {@code Flat}: no switch is known. */
public enum FabricKind {
    FatTree,
    RailOptimized,
    Torus,
    Mesh,
    HyperX,
    Dragonfly,
    DragonflyPlus,
    Irregular,
    Flat
}
