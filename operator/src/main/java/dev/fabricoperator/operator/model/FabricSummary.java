/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.mapping.FabricMapper;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The status of a Fabric. */
public final class FabricSummary {
    private final FabricState state;

    public FabricSummary(FabricState state) {
        this.state = state;
    }

    /**
     * What may be read of the Fabric now: all of the new generation once it is written to every device and switch, before
     * that all of the one before, with the word that another one comes.
     *
     * @param present what the object has now
     * @param pending devices and switches whose status is still to be written
     */
    public FabricStatus next(Findings said, Conditions factory, @Nullable FabricStatus present, int pending) {
        return isWritten(present, pending) ? status(said, factory, present) : pendingStatus(factory, present);
    }

    /** Whether {@link #next} is the last word on this generation. */
    public boolean isWritten(@Nullable FabricStatus present, int pending) {
        Long generation = present == null ? null : present.generation();
        return Objects.equals(generation, state.generation())
                || (pending == 0 && present != null && isAnnounced(present));
    }

    /** The whole status of the new generation. */
    public FabricStatus status(Findings said, Conditions factory, @Nullable FabricStatus present) {
        int devices = state.members().size();
        List<ConditionDraft> drafts = new ArrayList<>();
        drafts.add(
                devices == 0
                        ? new ConditionDraft(
                                ConditionType.Ready,
                                ConditionStatus.False,
                                Reason.NoDevices,
                                "no device belongs to the Fabric")
                        : new ConditionDraft(
                                ConditionType.Ready,
                                ConditionStatus.True,
                                Reason.Placed,
                                Messages.count(devices, "device has", "devices have") + " a place"));
        drafts.add(new ConditionDraft(
                ConditionType.Updating,
                ConditionStatus.False,
                Reason.UpToDate,
                "generation " + state.generation() + " is written everywhere"));
        drafts.addAll(said.drafts());
        return builder(state.generation())
                .findings(said.findings())
                .findingsTotal(said.total())
                .changes(state.changes())
                .damped(state.damped())
                .sources(said.sources().statuses())
                .refreshed(said.sources().refreshed())
                .conditions(factory.of(
                        drafts,
                        present == null ? List.of() : present.conditions(),
                        state.facts().generation()))
                .build();
    }

    /** Once ready a Fabric stays so while a newer generation is on its way; that is what Updating tells. */
    private FabricStatus pendingStatus(Conditions factory, @Nullable FabricStatus present) {
        List<Condition> before = present == null ? List.of() : present.conditions();
        List<ConditionDraft> drafts = new ArrayList<>();
        if (present == null || present.generation() == null) {
            drafts.add(new ConditionDraft(
                    ConditionType.Ready,
                    ConditionStatus.False,
                    Reason.WritingDevices,
                    "the places of "
                            + Messages.count(state.members().size(), "device", "devices")
                            + " are being written"));
        }
        drafts.add(new ConditionDraft(
                ConditionType.Updating, ConditionStatus.True, Reason.WritingDevices, announcement()));
        Map<String, Condition> conditions = new LinkedHashMap<>();
        before.forEach(condition -> conditions.put(condition.type(), condition));
        factory.of(drafts, before, state.facts().generation())
                .forEach(condition -> conditions.put(condition.type(), condition));
        FabricStatusBuilder builder = present == null
                ? FabricStatusBuilder.builder().identifier(state.name())
                : FabricStatusBuilder.builder(present);
        return builder.index(state.index())
                .conditions(List.copyOf(conditions.values()))
                .build();
    }

    private boolean isAnnounced(FabricStatus present) {
        Condition updating = Conditions.find(present.conditions(), ConditionType.Updating);
        return updating != null
                && updating.status() == ConditionStatus.True
                && updating.message().equals(announcement());
    }

    private String announcement() {
        return "generation " + state.generation() + " is being written to devices and switches";
    }

    /** What the model decides, as generation {@code generation}. */
    FabricStatusBuilder builder(long generation) {
        return new FabricMapper(
                        state.name(), state.model(), state.facts().spec().planes())
                .fabric(generation)
                .vendor(vendor())
                .identifier(state.name())
                .index(state.index())
                .unmanagedDevices(Math.max(0, state.model().unmanagedDevices() - state.managedElsewhere()));
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
