/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.model.FabricModel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A fabric as a dump alone shows it. Immutable. */
public final class OfflineFabric {
    private final String name;
    private final List<OfflineDevice> held;
    private final List<Switch> switches;
    private final FabricModel model;
    /** Two threads that find it missing at once make the same. */
    private volatile @Nullable List<Device> devices;

    OfflineFabric(String name, List<OfflineDevice> held, List<Switch> switches, FabricModel model) {
        this.name = name;
        this.held = held;
        this.switches = List.copyOf(switches);
        this.model = model;
    }

    /** {@code infiniband-0} and up, {@code ethernet-0} and up, the fabric with most devices first. */
    public String name() {
        return name;
    }

    /**
     * In slot order; {@code hostname} and {@code osName} are empty where the dump does not say them. Made when they are
     * asked for the first time.
     */
    public List<Device> devices() {
        List<Device> known = devices;
        if (known == null) {
            known = held.stream().map(OfflineDevice::device).toList();
            devices = known;
        }
        return known;
    }

    /** Ascending by id. */
    public List<Switch> switches() {
        return switches;
    }

    public FabricModel model() {
        return model;
    }
}
