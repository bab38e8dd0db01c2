/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/**
 * Logical state of a port.
 *
 * <p>PMIx: Active is PMIX_LINK_UP; Armed, Init and Down are PMIX_LINK_DOWN; Unknown is PMIX_LINK_STATE_UNKNOWN.
 *
 * @see "Linux Documentation/ABI/stable/sysfs-class-infiniband, ports/N/state"
 */
public enum PortState {
    Active,
    Armed,
    Init,
    Down,
    Unknown
}
