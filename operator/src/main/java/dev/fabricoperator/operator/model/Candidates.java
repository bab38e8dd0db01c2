/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.view.mapping.NvlinkFabrics;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which devices may be vertices of a fabric.
 *
 * <ul>
 *   <li>Not a virtual function beside its own physical function: the cable is counted there. One whose physical function
 *       the node does not show (a virtual machine) is the only device that there is.
 *   <li>Not a bond or a virtual function of plain Ethernet: its members are there.
 *   <li>A management port only in a person's Fabric: plain Ethernet, and what manages the switches of its host, where that
 *       is for management, one that can do RDMA over Ethernet (it may be the only network of a small cluster) in any.
 *   <li>RDMA that the kernel does by itself only in a person's Fabric whose selector selects it.
 *   <li>Plain Ethernet makes no Fabric by itself, or every cluster would have one of its management network: a person's
 *       selector, a topology source that names it, or a Fabric that it is in already takes it in.
 *   <li>Accelerators make none by themselves either: which NVLink joins, a source must say. They are in no network, however its
 *       selector selects their nodes ({@link NvlinkFabrics}).
 * </ul>
 */
final class Candidates {
    private final Set<String> physicalCards = new HashSet<>();
    private final Map<String, NodeFacts> nodes;

    /** @param nodes by name */
    Candidates(List<DeviceFacts> devices, Map<String, NodeFacts> nodes) {
        this.nodes = nodes;
        if (devices.stream().noneMatch(device -> device.function() == Function.Virtual)) {
            return;
        }
        for (DeviceFacts device : devices) {
            if (device.function() == Function.Physical && device.card() != null) {
                physicalCards.add(device.nodeName() + " " + device.card());
            }
        }
    }

    boolean mayBelongToAny(DeviceFacts device) {
        return switch (device.function()) {
            case Physical, Software -> true;
            case Virtual ->
                !isPlainEthernet(device)
                        && (device.card() == null || !physicalCards.contains(device.nodeName() + " " + device.card()));
            case Bond -> !isPlainEthernet(device);
        };
    }

    boolean mayBelongTo(DeviceFacts device, FabricFacts fabric) {
        if (device.function() == Function.Software && (fabric.autoCreated() || !isSelected(device, fabric))) {
            return false;
        }
        if (device.family() == Family.NVLink && !NvlinkFabrics.mayHoldAccelerators(fabric.spec())) {
            return false;
        }
        return device.role() != Role.Management
                || fabric.spec().purpose() == Purpose.Management
                || (!isPlainEthernet(device) && !managesSwitches(device) && !fabric.autoCreated());
    }

    /**
     * Whether it may stay in the Fabric that it is in. A port does not leave because a default route came to it; what was
     * taken for a part of the fabric and is none does.
     */
    boolean mayStayIn(DeviceFacts device, FabricFacts fabric) {
        boolean mistaken =
                device.function() == Function.Software || managesSwitches(device) || device.family() == Family.NVLink;
        return !mistaken || mayBelongTo(device, fabric);
    }

    private boolean isSelected(DeviceFacts device, FabricFacts fabric) {
        return Selection.of(fabric.spec().selector(), device, nodes) == Selection.Yes;
    }

    /** An InfiniBand port is for management only where it reaches nothing but the NVLink switches of its host. */
    private static boolean managesSwitches(DeviceFacts device) {
        return device.role() == Role.Management && device.family() == Family.InfiniBand;
    }

    /** Whether a Fabric is created for it. */
    boolean deservesFabric(DeviceFacts device, boolean cabled) {
        return device.role() != Role.Management
                && device.function() != Function.Software
                && (cabled || !isPlainEthernet(device) && device.family() != Family.NVLink);
    }

    private static boolean isPlainEthernet(DeviceFacts device) {
        return device.type() == DeviceType.Network && device.family() == Family.Ethernet;
    }
}
