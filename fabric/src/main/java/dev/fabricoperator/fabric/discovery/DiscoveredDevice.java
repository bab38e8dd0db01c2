/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.DeviceBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A device whose identity is known and whose surroundings are yet to be read.
 *
 * @param builder holds what the device's own class directory tells
 * @param reader collects the read errors of this device
 * @param devicePath real path of the bus device, null for a virtual one
 * @param netdev its network interface
 */
record DiscoveredDevice(
        DeviceBuilder builder,
        AttributeReader reader,
        @Nullable String devicePath,
        @Nullable NetInterface netdev) {

    /** Real path of the PCI function, null for a device that is on none. */
    @Nullable
    String functionPath() {
        return devicePath == null ? null : PciBus.functionOf(devicePath);
    }

    /** The driver bound to a bus device, by its name; null where none is bound or the tree does not tell. */
    static @Nullable String driver(HostTree tree, @Nullable String devicePath) {
        if (devicePath == null) {
            return null;
        }
        String target = tree.linkTarget(devicePath + "/driver");
        String name = target == null ? null : target.substring(target.lastIndexOf('/') + 1);
        return name == null || name.isEmpty() || name.length() > 63 ? null : name;
    }

    /**
     * The bus device behind an entry of a class: what its {@code device} link names, else, where a recording lacks the
     * link, the directory that holds the class directory.
     *
     * @param entry real path of the class entry
     * @param className for example {@code net}
     */
    static @Nullable String devicePath(HostTree tree, String entry, String className) {
        String device = tree.realPath(entry + "/device");
        if (device != null) {
            return device;
        }
        int end = entry.lastIndexOf("/" + className + "/");
        boolean below = end > 0 && entry.startsWith("/sys/devices/") && !entry.startsWith("/sys/devices/virtual/");
        return below ? entry.substring(0, end) : null;
    }
}
