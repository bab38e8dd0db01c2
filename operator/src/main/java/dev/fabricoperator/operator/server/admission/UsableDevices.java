/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.admission.DeviceVariable.NodeDevice;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Devices that are up and may carry a job's traffic: none of the management network, none of a fabric for storage. */
final class UsableDevices {
    private UsableDevices() {}

    /** @param devices of one node */
    static List<NodeDevice> of(List<ServedDevice> devices, List<FabricFacts> fabrics) {
        Set<String> others = new HashSet<>();
        for (FabricFacts fabric : fabrics) {
            Purpose purpose = fabric.spec().purpose();
            if (purpose == Purpose.Storage || purpose == Purpose.Management) {
                others.add(fabric.name());
            }
        }
        List<NodeDevice> usable = new ArrayList<>();
        for (ServedDevice served : devices) {
            Device device = served.device();
            FabricDeviceStatus status = served.status();
            boolean elsewhere = status != null && status.fabric() != null && others.contains(status.fabric());
            if (device.state() == PortState.Active
                    && device.role() != Role.Management
                    && device.function() != Function.Virtual
                    && (device.function() != Function.Software || isInFabric(status))
                    && !elsewhere) {
                usable.add(new NodeDevice(
                        device, status == null ? null : status.plane(), status == null ? null : status.index()));
            }
        }
        return usable;
    }

    /** Software is in one only where a person's selector says so, and is no way for MPI by itself. */
    private static boolean isInFabric(@Nullable FabricDeviceStatus status) {
        return status != null && status.fabric() != null;
    }
}
