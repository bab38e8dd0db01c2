/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * What everything should look like, given one inventory. Made by {@link Modeler}; never changed.
 *
 * @param fabrics by name
 * @param devices by object name, also those that belong to no Fabric
 * @param switches by object name
 * @param findings of every Fabric, by its name
 * @param created Fabrics that must be created before the rest may be written
 * @param numbers numbers that are still free
 */
public record ClusterModel(
        Inventory inventory,
        SortedMap<String, FabricState> fabrics,
        Map<String, DevicePlan> devices,
        Map<String, SwitchPlan> switches,
        Map<String, Findings> findings,
        List<NewFabric> created,
        FabricNumbers numbers) {

    /** A device and the status that it should have. */
    public record DevicePlan(DeviceFacts facts, FabricDeviceStatus status) {}

    /** A FabricSwitch object and the status that it should have. */
    public record SwitchPlan(SwitchFacts facts, FabricSwitchStatus status) {}
}
