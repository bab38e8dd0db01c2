/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.DevicePlan;
import dev.fabricoperator.operator.model.ClusterModel.SwitchPlan;
import dev.fabricoperator.operator.model.FabricState;
import jakarta.inject.Singleton;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The model that holds now. */
@Singleton
public final class PublishedModel implements FactStores.StatusCheck {
    private volatile @Nullable ClusterModel model;

    public @Nullable ClusterModel get() {
        return model;
    }

    void publish(ClusterModel next) {
        model = next;
    }

    @Override
    public boolean holdsForDevice(@Nullable DeviceFacts device) {
        ClusterModel now = model;
        if (now == null || device == null) {
            return false;
        }
        DevicePlan plan = now.devices().get(device.name());
        return plan != null && plan.status().equals(device.status());
    }

    @Override
    public boolean holdsForSwitch(@Nullable SwitchFacts fabricSwitch) {
        ClusterModel now = model;
        if (now == null || fabricSwitch == null) {
            return false;
        }
        SwitchPlan plan = now.switches().get(fabricSwitch.name());
        return plan != null && plan.status().equals(fabricSwitch.status());
    }

    /** Neither the generation that the model wants, nor the one that stays until the model's is written everywhere. */
    private static boolean isElse(long wanted, @Nullable FabricStatus before, @Nullable Long generation) {
        return !Objects.equals(generation, wanted)
                && !Objects.equals(generation, before == null ? null : before.generation());
    }

    /** Conditions are the reconciler's; what the model decides is told by the generation. */
    @Override
    public boolean holdsForFabric(@Nullable FabricFacts fabric) {
        ClusterModel now = model;
        if (now == null || fabric == null || fabric.status() == null) {
            return false;
        }
        FabricState state = now.fabrics().get(fabric.name());
        return state != null
                && !isElse(
                        state.generation(),
                        state.facts().status(),
                        fabric.status().generation());
    }
}
