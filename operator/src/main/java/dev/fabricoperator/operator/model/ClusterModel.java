/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What everything should look like, given one inventory. Made by {@link Modeler}; never changed.
 *
 * @param fabrics by name
 * @param failed by name, Fabrics that could not be modelled: nothing of theirs is written but why
 * @param deviceDefects by device that therefore is in no Fabric, what deciding about it has met
 * @param devices by object name, also those that belong to no Fabric
 * @param switches by object name
 * @param findings of every Fabric, by its name
 * @param flapHistory links and ports that changed lately, for the next model
 * @param numbers that no Fabric of the inventory has
 * @param missing Fabrics to create, for devices that so far belong to none
 */
public record ClusterModel(
        Inventory inventory,
        SortedMap<String, FabricState> fabrics,
        SortedMap<String, FailedFabric> failed,
        Map<String, RuntimeException> deviceDefects,
        Map<String, DevicePlan> devices,
        Map<String, SwitchPlan> switches,
        Map<String, Findings> findings,
        FlapDamping.History flapHistory,
        FabricNumbers numbers,
        MissingFabrics missing) {

    /**
     * Fabrics that do not exist yet.
     *
     * @param numbers free ones when their names are given away; to be kept when they have been created
     */
    public record MissingFabrics(List<NewFabric> fabrics, FabricNumbers numbers) {
        public boolean isEmpty() {
            return fabrics.isEmpty();
        }
    }

    /** How the Fabric was when it could be modelled last, {@code null} where it never was. */
    @Nullable
    FabricState last(String fabric) {
        FailedFabric without = failed.get(fabric);
        return without == null ? fabrics.get(fabric) : without.last();
    }

    /**
     * A Fabric object to create for devices that belong to none.
     *
     * @param madeForNode value of the label of the only node that has such devices, {@code null} where several have
     */
    public record NewFabric(
            String name, FabricSpec spec, @Nullable String madeForNode) {}

    /** A device and the status that it should have. */
    public record DevicePlan(DeviceFacts facts, FabricDeviceStatus status) {}

    /** A FabricSwitch object and the status that it should have. */
    public record SwitchPlan(SwitchFacts facts, FabricSwitchStatus status) {}
}
