/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.view.answer.DeviceIds;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A device with its place, from files or from a cluster.
 *
 * @param slot its index in the fabric
 * @param name of its FabricDevice
 */
public record FoundDevice(FoundFabric fabric, int slot, FabricDeviceSpec spec, String name)
        implements DeviceIds.Identified {

    /** How answers name it: node GUID, else deviceId. */
    public String shownId() {
        String guid = spec.nodeGuid();
        return guid != null ? guid : Objects.requireNonNullElse(spec.deviceId(), name);
    }

    @Override
    public @Nullable String deviceId() {
        return spec.deviceId();
    }

    @Override
    public @Nullable String nodeGuid() {
        return spec.nodeGuid();
    }

    @Override
    public @Nullable String portGuid() {
        return spec.portGuid();
    }

    @Override
    public String hostname() {
        return Objects.requireNonNullElse(spec.hostname(), "");
    }

    @Override
    public String nodeName() {
        return Objects.requireNonNullElse(spec.nodeName(), "");
    }

    @Override
    public String osName() {
        return Objects.requireNonNullElse(spec.osName(), "");
    }

    @Override
    public int port() {
        return spec.port();
    }
}
