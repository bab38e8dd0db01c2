/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

/** What a device says of where its host is. */
public enum DeviceUse {
    /** The host is where the device is. */
    Compute,
    /** Nothing: it leads to what hosts of all units share, such as storage, and the host has other devices. */
    Common,
    /** It leads there too, and its host has nothing else, as a server of storage. */
    Service
}
