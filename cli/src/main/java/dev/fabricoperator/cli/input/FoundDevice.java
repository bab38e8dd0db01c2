/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricDeviceSpec;
import java.util.Objects;

/**
 * A device with its place, from files or from a cluster.
 *
 * @param slot its index in the fabric
 * @param objectName name of its FabricDevice
 */
public record FoundDevice(FoundFabric fabric, int slot, FabricDeviceSpec spec, String objectName) {

    /** How answers name it: node GUID, else deviceId. */
    public String shownId() {
        String guid = spec.nodeGuid();
        return guid != null ? guid : Objects.requireNonNullElse(spec.deviceId(), objectName);
    }
}
