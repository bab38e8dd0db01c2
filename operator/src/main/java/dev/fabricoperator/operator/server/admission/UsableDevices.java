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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Devices that are up and may carry a job's traffic: none of the management network, none for storage. */
final class UsableDevices {
    private UsableDevices() {}

    /** As {@link FabricFacts} have them: the highest priority first, then the lowest index. */
    private static final Comparator<FabricFacts> FIRST = Comparator.comparingInt((FabricFacts fabric) ->
                    -Objects.requireNonNullElse(fabric.spec().priority(), 0))
            .thenComparingInt(UsableDevices::index)
            .thenComparing(FabricFacts::name);

    private static int index(FabricFacts fabric) {
        Integer index = fabric.status() == null ? null : fabric.status().index();
        return index == null ? Integer.MAX_VALUE : index;
    }

    /**
     * @param devices of one node
     * @param isCommon whether a device leads to what all nodes share, such as storage on the fabric of the computing devices
     */
    static List<NodeDevice> of(
            List<ServedDevice> devices, List<FabricFacts> fabrics, Predicate<ServedDevice> isCommon) {
        Set<String> others = new HashSet<>();
        Map<String, Integer> orderOfFabric = new HashMap<>();
        fabrics.stream().sorted(FIRST).forEach(fabric -> orderOfFabric.put(fabric.name(), orderOfFabric.size()));
        Set<String> bonds = new HashSet<>();
        for (ServedDevice served : devices) {
            if (served.device().function() == Function.Bond && served.device().macAddress() != null) {
                bonds.add(served.device().macAddress());
            }
        }
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
                    && !elsewhere
                    && !isCommon.test(served)) {
                String fabric = status == null ? null : status.fabric();
                // The members of a bond have its address in the link layer.
                boolean isMember = device.function() != Function.Bond && bonds.contains(device.macAddress());
                usable.add(new NodeDevice(
                        device,
                        fabric == null ? Integer.MAX_VALUE : orderOfFabric.getOrDefault(fabric, Integer.MAX_VALUE),
                        status == null ? null : status.plane(),
                        status == null ? null : status.index(),
                        served.addressed() && !isMember));
            }
        }
        return usable;
    }

    /** Software is in one only where a person's selector says so, and is no way for MPI by itself. */
    private static boolean isInFabric(@Nullable FabricDeviceStatus status) {
        return status != null && status.fabric() != null;
    }
}
