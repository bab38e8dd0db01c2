/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.admission.DeviceVariable.NodeDevice;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Devices of a node that libraries are told of before it is known what a pod can open. */
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

    /** @param devices of one node */
    static List<NodeDevice> of(List<ServedDevice> devices, List<FabricFacts> fabrics, JobTraffic traffic) {
        Map<String, Integer> orderOfFabric = new HashMap<>();
        fabrics.stream().sorted(FIRST).forEach(fabric -> orderOfFabric.put(fabric.name(), orderOfFabric.size()));
        Set<String> bonds = new HashSet<>();
        for (ServedDevice served : devices) {
            if (served.device().function() == Function.Bond && served.device().macAddress() != null) {
                bonds.add(served.device().macAddress());
            }
        }
        List<NodeDevice> usable = new ArrayList<>();
        for (ServedDevice served : devices) {
            Device device = served.device();
            // A virtual function is that of one pod, which is not known.
            if (device.function() != Function.Virtual && traffic.isOn(served)) {
                FabricDeviceStatus status = served.status();
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
}
