/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/** PMIX_DEVICE_TYPE of a fabric device: with an RDMA class, or a network interface only. */
public enum DeviceType {
    OpenFabrics,
    Network
}
