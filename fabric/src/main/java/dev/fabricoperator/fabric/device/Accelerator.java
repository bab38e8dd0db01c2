/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

import org.jspecify.annotations.Nullable;

/** A GPU or other accelerator of the same host, and how far it is from the device that lists it. */
public record Accelerator(
        String pciAddress,
        @Nullable String vendorId,
        @Nullable String deviceId,
        AcceleratorPath path) {}
