/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.controller.status.ChangeWords;
import dev.fabricoperator.operator.controller.status.StatusWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FabricSummary;
import dev.fabricoperator.operator.model.Findings;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.quarkiverse.operatorsdk.runtime.api.ConfigurableReconciler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Writes the status of a Fabric: what the model says of it, and how far the devices have been told. */
@ControllerConfiguration(name = "fabric", fieldManager = FabricApi.OPERATOR_FIELD_MANAGER)
public class FabricReconciler implements ConfigurableReconciler<Fabric> {
    private static final Duration STALE_RETRY = Duration.ofMillis(20);
    private static final Duration STALE_LIMIT = Duration.ofSeconds(5);

    /** @param nanos when, as {@link System#nanoTime} */
    private record Written(long generation, long nanos) {}

    private final Map<String, Written> written = new ConcurrentHashMap<>();
    private final FactStores stores;
    private final ModelHolder models;
    private final StatusWriter writer;
    private final EventWriter events;
    private final Conditions conditions;
    private final FabricEvents modelChanged;

    FabricReconciler(
            FactStores stores,
            ModelHolder models,
            StatusWriter writer,
            EventWriter events,
            Conditions conditions,
            FabricEvents modelChanged) {
        this.stores = stores;
        this.models = models;
        this.writer = writer;
        this.events = events;
        this.conditions = conditions;
        this.modelChanged = modelChanged;
    }

    @Override
    public void updateConfigurationFrom(ControllerConfigurationOverrider<Fabric> configuration) {
        configuration
                .withItemStore(stores.fabrics())
                .withInformerListLimit(Informers.LIST_LIMIT)
                .withRetry(Retries.forever());
    }

    @Override
    public List<EventSource<?, Fabric>> prepareEventSources(EventSourceContext<Fabric> context) {
        return List.of(modelChanged);
    }

    @Override
    public UpdateControl<Fabric> reconcile(Fabric fabric, Context<Fabric> context) {
        String name = fabric.getMetadata().getName();
        ClusterModel model = models.get();
        FabricState state = model == null ? null : model.fabrics().get(name);
        Findings findings = model == null ? null : model.findings().get(name);
        if (state == null
                || findings == null
                || !state.facts().uid().equals(fabric.getMetadata().getUid())) {
            return UpdateControl.noUpdate();
        }
        FabricStatus present = fabric.getStatus();
        if (isOlderThanWritten(fabric.getMetadata().getUid(), present)) {
            return UpdateControl.<Fabric>noUpdate().rescheduleAfter(STALE_RETRY);
        }
        FabricSummary summary = new FabricSummary(state);
        int pending = writer.pending(name);
        FabricStatus wanted = summary.next(findings, conditions, present, pending);
        boolean announcedOnly = pending == 0 && !summary.isWritten(present, pending);
        if (wanted.equals(present)) {
            return UpdateControl.noUpdate();
        }
        tell(fabric, present, wanted);
        Long generation = wanted.generation();
        if (generation != null) {
            written.put(fabric.getMetadata().getUid(), new Written(generation, System.nanoTime()));
        }

        Fabric fresh = new Fabric();
        fresh.setMetadata(new ObjectMetaBuilder().withName(name).build());
        fresh.setStatus(wanted);
        UpdateControl<Fabric> update = UpdateControl.patchStatus(fresh);
        return announcedOnly ? update.rescheduleAfter(Duration.ofMillis(1)) : update;
    }

    /**
     * Whether the watch has not shown yet what this process wrote: what is announced repeats the status that is there, and
     * would take back a generation. Somebody else's word looks the same, and counts after a while.
     */
    private boolean isOlderThanWritten(String uid, @Nullable FabricStatus present) {
        Written last = written.get(uid);
        Long generation = present == null ? null : present.generation();
        return last != null
                && (generation == null || generation < last.generation())
                && System.nanoTime() - last.nanos() < STALE_LIMIT.toNanos();
    }

    private void tell(Fabric fabric, @Nullable FabricStatus present, FabricStatus wanted) {
        List<Condition> before = present == null ? List.of() : present.conditions();
        events.transitions(fabric, Conditions.transitions(before, wanted.conditions(), null));
        List<FabricChange> known = present == null ? List.of() : present.changes();
        for (FabricChange change : wanted.changes()) {
            if (!known.contains(change)) {
                events.normal(fabric, Reason.FabricChanged, ChangeWords.of(change));
            }
        }
        String refreshed = wanted.refreshed();
        if (refreshed != null && !refreshed.equals(present == null ? null : present.refreshed())) {
            events.normal(
                    fabric,
                    Reason.SourcesRefreshed,
                    Messages.count(wanted.sources().size(), "source", "sources")
                            + " read once more, as asked for by refresh=" + refreshed);
        }
        List<FindingStatus> flapping = present == null ? List.of() : flapping(present);
        for (FindingStatus link : flapping(wanted)) {
            if (!flapping.contains(link)) {
                events.warning(fabric, Reason.FlappingLink, link.message());
            }
        }
        for (FindingStatus link : flapping) {
            if (!flapping(wanted).contains(link)) {
                events.normal(fabric, Reason.LinkSteady, link.object() + " no longer goes up and down");
            }
        }
    }

    private static List<FindingStatus> flapping(FabricStatus status) {
        return status.findings().stream()
                .filter(finding -> finding.type().equals(FindingType.FlappingLink.name()))
                .toList();
    }
}
