/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.view.answer.NamedDevice;
import dev.fabricoperator.view.answer.NamedFabric;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fabric that was found, with its devices by slot. */
record AskedFabric(FoundFabric found, FabricQuery query, Map<Integer, FoundDevice> devices) implements NamedFabric {
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
