/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

import org.jspecify.annotations.Nullable;

/**
 * A PCI function.
 *
 * @param address {@code dddd:bb:dd.f}; the domain has more than four digits where it exceeds 16 bit
 * @param vendorId 4 lower-case hex digits
 * @param deviceId 4 lower-case hex digits
 * @param classCode PCI class and subclass, 4 lower-case hex digits, for example {@code 0207}
 * @see "Linux Documentation/ABI/testing/sysfs-bus-pci"
 */
public record PciFunction(
        String address,
        @Nullable String vendorId,
        @Nullable String deviceId,
        @Nullable String classCode) {}
