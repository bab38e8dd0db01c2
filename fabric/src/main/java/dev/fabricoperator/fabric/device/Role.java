/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/**
 * What a device is for. Management carries the InternalIP of its node, or the default route on an Ethernet device, or
 * manages the NVLink switches of its own host.
 */
public enum Role {
    Fabric,
    Management,
    Unknown
}
