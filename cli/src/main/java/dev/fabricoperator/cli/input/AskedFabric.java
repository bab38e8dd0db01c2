/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.view.answer.DeviceIds;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.answer.NamedDevice;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A fabric that was found, with its devices by slot. */
final class AskedFabric implements FabricView {
    private final FoundFabric found;
    private final FabricQuery query;
    private final Map<Integer, FoundDevice> devices;
    private @Nullable DeviceIds<Integer> ids;

    /** @param devices by slot */
    AskedFabric(FoundFabric found, Map<Integer, FoundDevice> devices) {
        this.found = found;
        this.devices = devices;
        query = found.query();
    }

    @Override
    public String name() {
        return found.name();
    }

    @Override
    public int index() {
        return found.index();
    }

    @Override
    public long generation() {
        return found.generation();
    }

    @Override
    public FabricModel model() {
        return found.model();
    }

    @Override
    public FabricQuery query() {
        return query;
    }

    @Override
    public List<Switch> switches() {
        return found.switches();
    }

    /** Made when it is asked for the first time: many questions name no device. */
    @Override
    public DeviceIds<Integer> ids() {
        DeviceIds<Integer> made = ids;
        if (made == null) {
            made = new DeviceIds<>(devices.keySet(), slot -> Objects.requireNonNull(devices.get(slot)));
            ids = made;
        }
        return made;
    }

    @Override
    public @Nullable NamedDevice device(int slot) {
        FoundDevice device = devices.get(slot);
        return device == null
                ? null
                : new NamedDevice(
                        device.name(), device.shownId(), device.spec().nodeName(), device.hostname(), device.port());
    }

    @Override
    public @Nullable String switchName(String id) {
        return found.switchName(id);
    }

    @Override
    public List<String> planeNames() {
        return found.spec().planes();
    }
}
