/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

import dev.fabricoperator.fabric.device.DeviceType;

/**
 * Bits of {@code pmix_device_type_t}.
 *
 * @see "PMIx Standard, pmix_device_type_t; pmix_common.h"
 */
public final class DeviceTypeBits {
    public static final long PMIX_DEVTYPE_GPU = 0x02;
    public static final long PMIX_DEVTYPE_NETWORK = 0x04;
    public static final long PMIX_DEVTYPE_OPENFABRICS = 0x08;

    private DeviceTypeBits() {}

    public static long of(DeviceType type) {
        return switch (type) {
            case OpenFabrics -> PMIX_DEVTYPE_OPENFABRICS;
            case Network -> PMIX_DEVTYPE_NETWORK;
            case Gpu -> PMIX_DEVTYPE_GPU;
        };
    }
}
