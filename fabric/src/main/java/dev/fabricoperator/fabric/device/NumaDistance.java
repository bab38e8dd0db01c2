/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/**
 * Distance from a device to one NUMA node.
 *
 * <p>Minimum and maximum differ only where the device's locality is several nodes or uncertain.
 *
 * @param numaNode the kernel's node id, which need not be dense
 * @param minimum SLIT units, 10 is local
 * @param maximum SLIT units
 * @see "PMIx Standard, pmix_device_distance_t; ACPI SLIT; /sys/devices/system/node/nodeN/distance"
 */
public record NumaDistance(int numaNode, int minimum, int maximum) {}
