/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.fabric.MostFrequent;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.FabricMapper;
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
     * that all of the one before, with {@code pendingGeneration}.
     *
     * @param present what the object has now
     */
    public FabricStatus next(
            Findings findings, Conditions factory, @Nullable FabricStatus present, WriteProgress progress) {
        return isCurrent(present) || (isAnnounced(present) && progress.isComplete())
                ? status(findings, factory, present, progress)
                : pendingStatus(factory, present);
    }

    /** Whether the object shows this generation as the one that holds. */
    public boolean isCurrent(@Nullable FabricStatus present) {
        return present != null && Objects.equals(present.generation(), state.generation());
    }

    /** Whether the object shows that this generation is being written. */
    public boolean isAnnounced(@Nullable FabricStatus present) {
        return present != null && Objects.equals(present.pendingGeneration(), state.generation());
    }

    /** The whole status of the new generation. */
    public FabricStatus status(
            Findings findings, Conditions factory, @Nullable FabricStatus present, WriteProgress progress) {
        int devices = state.members().size();
        List<Condition> before = present == null ? List.of() : present.conditions();
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
                "generation " + state.generation()
                        + (progress.refused() == 0
                                ? " is written everywhere"
                                : " is written, except for what condition " + ConditionType.StatusesWritten
                                        + " tells of")));
        if (progress.refused() > 0 || Conditions.find(before, ConditionType.StatusesWritten) != null) {
            drafts.add(statusesWritten(progress));
        }
        drafts.addAll(findings.drafts());
        return builder(state.generation())
                .findings(findings.findings())
                .findingsTotal(findings.total())
                .exemptHosts(state.model().exemptHosts())
                .unresolved(state.model().unresolved())
                .changes(state.changes())
                .damped(state.damped())
                .sources(findings.sources().statuses())
                .refreshed(findings.sources().refreshed())
                .levels(findings.sources().levels())
                .conditions(factory.of(drafts, before, state.facts().generation()))
                .build();
    }

    private static ConditionDraft statusesWritten(WriteProgress progress) {
        return progress.refused() == 0
                ? new ConditionDraft(
                        ConditionType.StatusesWritten,
                        ConditionStatus.True,
                        Reason.NoneRefused,
                        "no status is refused any more")
                : new ConditionDraft(
                        ConditionType.StatusesWritten,
                        ConditionStatus.False,
                        Reason.StatusesRefused,
                        Messages.count(progress.refused(), "status is", "statuses are")
                                + " refused by the API server and tried again at long intervals; mend the policy, webhook or"
                                + " right that refuses, the first is " + progress.refusal());
    }

    /** Once ready a Fabric stays so while a newer generation is on its way; that is what Updating tells. */
    private FabricStatus pendingStatus(Conditions factory, @Nullable FabricStatus present) {
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
                ConditionType.Updating,
                ConditionStatus.True,
                Reason.WritingDevices,
                "generation " + state.generation() + " is being written to devices and switches"));
        return FabricStatusBuilder.builder(with(
                        present, state.name(), drafts, factory, state.facts().generation()))
                .index(state.index())
                .pendingGeneration(state.generation())
                .build();
    }

    /** What a Fabric's object has, with these conditions in place of those of their types. */
    static FabricStatus with(
            @Nullable FabricStatus present,
            String identifier,
            List<ConditionDraft> drafts,
            Conditions factory,
            long observedGeneration) {
        List<Condition> before = present == null ? List.of() : present.conditions();
        Map<String, Condition> conditions = new LinkedHashMap<>();
        before.forEach(condition -> conditions.put(condition.type(), condition));
        factory.of(drafts, before, observedGeneration)
                .forEach(condition -> conditions.put(condition.type(), condition));
        FabricStatusBuilder builder = present == null
                ? FabricStatusBuilder.builder().identifier(identifier)
                : FabricStatusBuilder.builder(present);
        return builder.conditions(List.copyOf(conditions.values())).build();
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
        return MostFrequent.of(counts, Comparator.naturalOrder()).orElse(null);
    }
}
