/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/** The kind of network that a device speaks. */
public enum Family {
    InfiniBand,
    OmniPath,
    RoCE,
    iWARP,
    Slingshot,
    EFA,
    Ethernet,
    /** Of accelerators, which speak it to each other. */
    NVLink
}
