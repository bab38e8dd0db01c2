/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.PodReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The published devices of the nodes that a job is on. */
final class NodeDevices {
    private final Map<String, List<ServedDevice>> byNode = new HashMap<>();

    /** O(devices of these nodes). */
    NodeDevices(KnownFabrics known, Set<String> nodes) {
        for (String node : nodes) {
            List<ServedDevice> devices = new ArrayList<>(known.devicesOf(node));
            devices.sort(Comparator.comparing(ServedDevice::osName).thenComparingInt(ServedDevice::port));
            byNode.put(node, devices);
        }
    }

    /** All that are published of a node. */
    List<ServedDevice> of(String node) {
        return byNode.getOrDefault(node, List.of());
    }

    /** The host's own name, the node's where no agent says it. */
    String hostname(String node) {
        List<ServedDevice> devices = byNode.getOrDefault(node, List.of());
        return devices.isEmpty() ? node : devices.getFirst().hostname();
    }

    /**
     * The published device behind each device that a pod can open, {@code null} for one that no agent has published: by node
     * GUID, by PCI address, by MAC address; several ports of one device in their order. The pod's own interface lies on the
     * device that carries the node's traffic, where that is one only.
     */
    List<@Nullable ServedDevice> behind(String node, List<PodReport.OpenDevice> open) {
        List<ServedDevice> devices = byNode.getOrDefault(node, List.of());
        Set<ServedDevice> used = new HashSet<>();
        List<@Nullable ServedDevice> found = new ArrayList<>();
        for (PodReport.OpenDevice device : open) {
            ServedDevice behind = behind(device, devices, used);
            if (behind != null && !device.own()) {
                used.add(behind);
            }
            found.add(behind);
        }
        return found;
    }

    /**
     * The same for a pod's devices as a map has them, by their ids.
     *
     * @param open what they are reported as
     */
    List<@Nullable ServedDevice> behind(String node, List<JobDevice> held, List<PodReport.OpenDevice> open) {
        List<ServedDevice> devices = of(node);
        List<@Nullable ServedDevice> found = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            String id = held.get(i).deviceId();
            ServedDevice published = first(devices, device -> device.deviceId().equals(id));
            found.add(published == null && open.get(i).own() ? carrier(devices) : published);
        }
        return found;
    }

    private static @Nullable ServedDevice behind(
            PodReport.OpenDevice open, List<ServedDevice> devices, Set<ServedDevice> used) {
        String guid = open.nodeGuid();
        if (guid != null) {
            return first(devices, device -> guid.equals(device.nodeGuid()) && !used.contains(device));
        }
        if (open.own()) {
            return carrier(devices);
        }
        String pci = open.pciAddress();
        String mac = open.macAddress();
        ServedDevice byPci = pci == null
                ? null
                : first(
                        devices,
                        device -> device.device().pci() != null
                                && pci.equals(device.device().pci().address())
                                && !used.contains(device));
        if (byPci != null || mac == null) {
            return byPci;
        }
        return first(
                devices,
                device -> mac.equals(device.device().macAddress())
                        && device.device().function() != Function.Software
                        && !used.contains(device));
    }

    /** The one interface that has the node's address or default route. */
    private static @Nullable ServedDevice carrier(List<ServedDevice> devices) {
        List<ServedDevice> carriers = devices.stream()
                .filter(device -> device.device().role() == Role.Management && device.type() == DeviceType.Network)
                .toList();
        return carriers.size() == 1 ? carriers.getFirst() : null;
    }

    private static @Nullable ServedDevice first(List<ServedDevice> devices, Predicate<ServedDevice> wanted) {
        return devices.stream().filter(wanted).findFirst().orElse(null);
    }
}
