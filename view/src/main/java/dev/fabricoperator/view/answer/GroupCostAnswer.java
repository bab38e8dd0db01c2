/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.cost.GroupCosts;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What communication costs from a device to the devices of a group, itself apart.
 *
 * @param from node GUID, else deviceId
 * @param devices of the group, itself apart
 * @param unreachable those of them that cannot be reached
 * @param minimum over those that can; 65535 without one
 * @param mean over those that can; {@code null} without one
 */
@JsonPropertyOrder({"from", "group", "fabric", "generation", "devices", "unreachable", "minimum", "mean"})
public record GroupCostAnswer(
        String from,
        int group,
        String fabric,
        long generation,
        long devices,
        long unreachable,
        int minimum,
        @Nullable Double mean) {

    /**
     * {@code null} for a group without devices.
     *
     * @param slot one that is in use
     * @param plane id of the only plane that counts; {@code null} for all
     */
    public static @Nullable GroupCostAnswer of(FabricView fabric, int slot, int group, @Nullable String plane) {
        GroupCosts costs = fabric.query().groupCosts(plane);
        if (!costs.has(group)) {
            return null;
        }
        GroupCosts.Cost cost = costs.fromDevice(slot, group);
        return new GroupCostAnswer(
                Objects.requireNonNull(fabric.device(slot)).id(),
                group,
                fabric.name(),
                fabric.generation(),
                cost.reached() + cost.unreachable(),
                cost.unreachable(),
                cost.minimum(),
                cost.reached() == 0 ? null : cost.mean());
    }
}
