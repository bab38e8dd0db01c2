/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** How a fabric is wired. */
public enum FabricKindName {
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
