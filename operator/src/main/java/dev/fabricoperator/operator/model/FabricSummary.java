/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.mapping.FabricMapper;
import dev.fabricoperator.operator.condition.ConditionType;
import dev.fabricoperator.operator.condition.Conditions;
import dev.fabricoperator.operator.condition.Judgement;
import dev.fabricoperator.operator.condition.Reason;
import dev.fabricoperator.operator.inventory.DeviceFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The status of a Fabric. */
public final class FabricSummary {
    private final FabricState state;

    public FabricSummary(FabricState state) {
        this.state = state;
    }

    /**
     * The whole status.
     *
     * @param existing conditions that the object has now
     * @param pending devices and switches whose status is still to be written
     */
    public FabricStatus status(Findings said, Conditions factory, List<Condition> existing, int pending) {
        List<Judgement> judgements = new ArrayList<>(List.of(ready(existing, pending), updating(pending)));
        judgements.addAll(said.judgements());
        return status(
                state.generation(),
                said.findings(),
                factory.of(judgements, existing, state.facts().generation()));
    }

    /** Once ready a Fabric stays so while a newer generation is on its way; that is what Updating tells. */
    private Judgement ready(List<Condition> existing, int pending) {
        int devices = state.members().size();
        if (devices == 0) {
            return new Judgement(
                    ConditionType.Ready, ConditionStatus.False, Reason.NoDevices, "no device belongs to the Fabric");
        }
        if (pending > 0 && !Conditions.isTrue(existing, ConditionType.Ready)) {
            return new Judgement(
                    ConditionType.Ready,
                    ConditionStatus.False,
                    Reason.WritingDevices,
                    "the places of " + Words.count(devices, "device", "devices") + " are being written");
        }
        return new Judgement(
                ConditionType.Ready,
                ConditionStatus.True,
                Reason.Placed,
                Words.count(devices, "device has", "devices have") + " a place");
    }

    private Judgement updating(int pending) {
        return pending > 0
                ? new Judgement(
                        ConditionType.Updating,
                        ConditionStatus.True,
                        Reason.WritingDevices,
                        "generation " + state.generation() + " is being written to devices and switches")
                : new Judgement(
                        ConditionType.Updating,
                        ConditionStatus.False,
                        Reason.UpToDate,
                        "generation " + state.generation() + " is written everywhere");
    }

    FabricStatus status(long generation, List<FindingStatus> findings, List<Condition> conditions) {
        return new FabricMapper(
                        state.name(), state.model(), state.facts().spec().planes())
                .fabric(generation)
                .vendor(vendor())
                .identifier(state.name())
                .index(state.index())
                .unmanagedDevices(Math.max(0, state.model().unmanagedDevices() - state.managedElsewhere()))
                .findings(findings)
                .conditions(conditions)
                .build();
    }

    /** The vendor of most devices. */
    private @Nullable String vendor() {
        Map<String, Integer> counts = new TreeMap<>();
        for (DeviceFacts device : state.members().values()) {
            if (device.vendor() != null) {
                counts.merge(device.vendor(), 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .min(Comparator.comparingInt((Map.Entry<String, Integer> e) -> -e.getValue())
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .orElse(null);
    }
}
