/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.device.Device;

/**
 * A device of a dump, with its place.
 *
 * @param slot its index in the fabric
 * @param objectName name of its FabricDevice
 */
public record OfflineDevice(OfflineFabric fabric, int slot, Device device, String objectName) {

    /** How answers name it: node GUID, else deviceId. */
    public String shownId() {
        String guid = device.nodeGuid();
        return guid != null ? guid : device.deviceId();
    }
}
