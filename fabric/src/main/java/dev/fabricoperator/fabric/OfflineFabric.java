/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.model.FabricModel;
import java.util.List;

/**
 * A fabric as a dump alone shows it.
 *
 * @param name {@code infiniband-0} and up, {@code ethernet-0} and up, the fabric with most devices first
 * @param devices in slot order; {@code hostname} and {@code osName} are empty where the dump does not say them
 * @param switches ascending by id
 */
public record OfflineFabric(String name, List<Device> devices, List<Switch> switches, FabricModel model) {
    public OfflineFabric {
        devices = List.copyOf(devices);
        switches = List.copyOf(switches);
    }
}
