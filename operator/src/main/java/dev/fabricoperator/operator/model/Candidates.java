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
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which devices may be vertices of a fabric.
 *
 * <ul>
 *   <li>Not a virtual function beside its own physical function: the cable is counted there. One whose physical function
 *       the node does not show (a virtual machine) is the only device that there is.
 *   <li>Not a bond or a virtual function of plain Ethernet: its members are there.
 *   <li>A management port only in a person's Fabric: plain Ethernet where that is for management, one that can do RDMA
 *       (it may be the only network of a small cluster) in any.
 *   <li>Plain Ethernet makes no Fabric by itself, or every cluster would have one of its management network: a person's
 *       selector, a topology source that names it, or a Fabric that it is in already takes it in.
 * </ul>
 */
final class Candidates {
    private final Set<String> physicalCards = new HashSet<>();

    Candidates(List<DeviceFacts> devices) {
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
            case Physical -> true;
            case Virtual ->
                !isPlainEthernet(device)
                        && (device.card() == null || !physicalCards.contains(device.nodeName() + " " + device.card()));
            case Bond -> !isPlainEthernet(device);
        };
    }

    boolean mayBelongTo(DeviceFacts device, FabricFacts fabric) {
        return device.role() != Role.Management
                || fabric.spec().purpose() == Purpose.Management
                || (!isPlainEthernet(device) && !fabric.autoCreated());
    }

    /** Whether a Fabric is created for it. */
    boolean deservesFabric(DeviceFacts device, boolean cabled) {
        return device.role() != Role.Management && (cabled || !isPlainEthernet(device));
    }

    private static boolean isPlainEthernet(DeviceFacts device) {
        return device.type() == DeviceType.Network && device.family() == Family.Ethernet;
    }
}
