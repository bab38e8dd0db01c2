/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/** PMIX_DEVICE_TYPE of a fabric device: with an RDMA class, a network interface only, or an accelerator. */
public enum DeviceType {
    OpenFabrics,
    Network,
    Gpu
}
