/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.admission.DeviceVariable.Node;
import dev.fabricoperator.operator.server.admission.DeviceVariable.NodeDevice;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Devices of a node that libraries are told of before it is known what a pod can open. */
final class UsableDevices {
    private UsableDevices() {}

    private static final Comparator<FabricFacts> FIRST =
            FabricFacts.DEFAULT_FIRST.thenComparingInt(UsableDevices::index).thenComparing(FabricFacts::name);

    private static int index(FabricFacts fabric) {
        Integer index = fabric.status() == null ? null : fabric.status().index();
        return index == null ? Integer.MAX_VALUE : index;
    }

    /**
     * @param devices of one node
     * @param named Fabrics that the pod is to use, in that order; empty for what there is
     */
    static Node of(List<ServedDevice> devices, List<FabricFacts> fabrics, JobTraffic traffic, List<String> named) {
        Map<String, Integer> orderOfFabric = new HashMap<>();
        named.forEach(fabric -> orderOfFabric.put(fabric, orderOfFabric.size()));
        fabrics.stream()
                .filter(fabric -> named.isEmpty())
                .sorted(FIRST)
                .forEach(fabric -> orderOfFabric.put(fabric.name(), orderOfFabric.size()));
        List<NodeDevice> usable = new ArrayList<>();
        List<ServedDevice> verbs = new ArrayList<>();
        for (ServedDevice served : devices) {
            Device device = served.device();
            // A virtual function is that of one pod, which is not known.
            if (device.function() != Function.Virtual && traffic.isOn(served)) {
                FabricDeviceStatus status = served.status();
                String fabric = status == null ? null : status.fabric();
                if (!named.isEmpty() && (fabric == null || !named.contains(fabric))) {
                    continue;
                }
                if (DeviceVariable.isVerbs(device)) {
                    verbs.add(served);
                }
                usable.add(new NodeDevice(
                        device,
                        fabric == null ? Integer.MAX_VALUE : orderOfFabric.getOrDefault(fabric, Integer.MAX_VALUE),
                        status == null ? null : status.plane(),
                        status == null ? null : status.index()));
            }
        }
        return new Node(
                usable,
                own(devices),
                devices.stream().anyMatch(device -> device.type() == DeviceType.OpenFabrics),
                traffic.meet(verbs));
    }

    /** What agents found the node's address on. */
    private static String own(List<ServedDevice> devices) {
        List<String> names = devices.stream()
                .filter(device -> device.device().role() == Role.Management && device.addressed())
                .map(device -> device.device().netdev())
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return names.size() == 1 ? names.getFirst() : "";
    }
}
