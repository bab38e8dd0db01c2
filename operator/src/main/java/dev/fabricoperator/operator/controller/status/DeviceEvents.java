/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.DevicePlan;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Events of devices, where a condition of theirs turns. A node that is away is told by the Fabric, once for all. */
@Singleton
public class DeviceEvents {
    private static final Set<String> REPORTED = Set.of(
            ConditionType.HostReadable.name(), ConditionType.IdentityUnique.name(), ConditionType.Impaired.name());

    private final EventWriter events;
    /** A pass that fails half-way is followed by another, which reports what that one did not. */
    private @Nullable ClusterModel reported;

    public DeviceEvents(EventWriter events) {
        this.events = events;
    }

    /** Compares with the model that was reported last, or after a restart with what the objects say. */
    public synchronized void report(ClusterModel model) {
        ClusterModel last = reported;
        for (DevicePlan plan : model.devices().values()) {
            if (plan.status().conditions().isEmpty()) {
                continue;
            }
            List<Condition> turned =
                    Conditions.transitions(before(last, plan), plan.status().conditions(), ConditionStatus.True)
                            .stream()
                            .filter(c -> REPORTED.contains(c.type()))
                            .toList();
            if (!turned.isEmpty()) {
                FabricDevice device = new FabricDevice();
                device.setMetadata(new ObjectMetaBuilder()
                        .withName(plan.facts().name())
                        .withUid(plan.facts().uid())
                        .build());
                events.transitions(device, turned);
            }
        }
        reported = model;
    }

    private static List<Condition> before(@Nullable ClusterModel last, DevicePlan plan) {
        DevicePlan then = last == null ? null : last.devices().get(plan.facts().name());
        if (then != null && then.facts().uid().equals(plan.facts().uid())) {
            return then.status().conditions();
        }
        return plan.facts().status() == null ? List.of() : plan.facts().status().conditions();
    }
}
