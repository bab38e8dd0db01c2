/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.controller.integration.Integrations;
import dev.fabricoperator.operator.controller.status.FabricEvents;
import dev.fabricoperator.operator.controller.status.StatusWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FabricSummary;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.Findings;
import dev.fabricoperator.operator.model.WriteProgress;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings a generation of a Fabric to its objects, in three steps:
 *
 * <ol>
 *   <li>Announce: {@code status.pendingGeneration} and the condition Updating are written to the Fabric.
 *   <li>Write: only then the statuses of its devices and switches are handed to the {@link StatusWriter}.
 *   <li>Commit: when each was accepted or refused, the Fabric's status takes over the whole generation.
 * </ol>
 *
 * How far a Fabric has come is told by the fields of its status, so that another process goes on where this one ended. A
 * step that fails changes nothing here, and is made again.
 */
@Singleton
final class GenerationPublisher {
    /** Announce and commit; more where newer generations come meanwhile, and of those the next event tells too. */
    private static final int MAXIMUM_STEPS = 4;

    private final KubernetesClient client;
    private final PublishedModel published;
    private final StatusWriter writer;
    private final FabricEvents events;
    private final Integrations integrations;
    private final Conditions conditions;
    private final Map<String, Accepted> accepted = new HashMap<>();
    private final Map<String, Long> submitted = new HashMap<>();

    /** A status that the API server has accepted and the informer need not show yet. */
    private record Accepted(long resourceVersion, FabricStatus status) {}

    GenerationPublisher(
            KubernetesClient client,
            PublishedModel published,
            StatusWriter writer,
            FabricEvents events,
            Integrations integrations,
            Conditions conditions) {
        this.client = client;
        this.published = published;
        this.writer = writer;
        this.events = events;
        this.integrations = integrations;
        this.conditions = conditions;
    }

    /**
     * From now on this model holds. Statuses of Fabrics whose generation is announced are written, and those of devices and
     * switches of no Fabric; for the others {@link #advance} comes first.
     */
    synchronized void publish(ClusterModel model) {
        published.publish(model);
        Set<String> uids = new HashSet<>();
        Set<String> announced = new HashSet<>();
        for (FabricState state : model.fabrics().values()) {
            String uid = state.facts().uid();
            uids.add(uid);
            FabricSummary summary = new FabricSummary(state);
            FabricStatus present =
                    present(uid, state.facts().resourceVersion(), state.facts().status());
            if (summary.isCurrent(present) || summary.isAnnounced(present)) {
                announced.add(state.name());
                submitted.put(uid, state.generation());
            }
        }
        model.failed().values().forEach(fabric -> uids.add(fabric.facts().uid()));
        submitted.keySet().retainAll(uids);
        accepted.keySet().retainAll(uids);
        writer.submit(
                model,
                fabric -> fabric == null
                        || announced.contains(fabric)
                        || !(model.fabrics().containsKey(fabric)
                                || model.failed().containsKey(fabric)));
    }

    /**
     * Does what can be done now for one Fabric; does nothing where everything is done.
     *
     * @throws KubernetesClientException if its status could not be written; call again
     */
    void advance(Fabric fabric) {
        for (int steps = 0; steps < MAXIMUM_STEPS && step(fabric); steps++) {}
    }

    /** Writes the Fabric's status if it is not as it should be, and whether that may have made another step possible. */
    private boolean step(Fabric fabric) {
        ObjectMeta metadata = fabric.getMetadata();
        ClusterModel model = published.get();
        FailedFabric failed = model == null ? null : model.failed().get(metadata.getName());
        if (failed != null && failed.facts().uid().equals(metadata.getUid())) {
            FabricStatus present;
            synchronized (this) {
                present = present(metadata.getUid(), metadata.getResourceVersion(), fabric.getStatus());
            }
            write(fabric, present, failed.status(conditions, present));
            return false;
        }
        FabricState state = model == null ? null : model.fabrics().get(metadata.getName());
        Findings findings = model == null ? null : model.findings().get(metadata.getName());
        if (state == null || findings == null || !state.facts().uid().equals(metadata.getUid())) {
            return false;
        }
        FabricSummary summary = new FabricSummary(state);
        FabricStatus present;
        FabricStatus wanted;
        synchronized (this) {
            present = present(metadata.getUid(), metadata.getResourceVersion(), fabric.getStatus());
            if (summary.isCurrent(present) || summary.isAnnounced(present)) {
                submit(state);
            }
            wanted = FabricStatusBuilder.builder(summary.next(
                            findings.and(integrations.conditions(
                                    state.name(), present == null ? List.of() : present.conditions())),
                            conditions,
                            present,
                            progress(state)))
                    .tiers(integrations.tiers(state.name(), present == null ? List.of() : present.tiers()))
                    .build();
        }
        return write(fabric, present, wanted) && summary.isAnnounced(wanted);
    }

    private @Nullable FabricStatus present(String uid, @Nullable String version, @Nullable FabricStatus seen) {
        Accepted last = accepted.get(uid);
        return last != null && last.resourceVersion() > Fact.number(version) ? last.status() : seen;
    }

    private WriteProgress progress(FabricState state) {
        return writer.progress(
                state.name(), Objects.equals(submitted.get(state.facts().uid()), state.generation()));
    }

    /** Hands over the statuses of the generation, unless a newer model has come meanwhile: its turn comes next. */
    private void submit(FabricState state) {
        ClusterModel model = published.get();
        String uid = state.facts().uid();
        if (model != null
                && model.fabrics().get(state.name()) == state
                && !Objects.equals(submitted.get(uid), state.generation())) {
            writer.submit(model, state.name()::equals);
            submitted.put(uid, state.generation());
        }
    }

    /** @return whether there was something to write */
    private boolean write(Fabric fabric, @Nullable FabricStatus present, FabricStatus wanted) {
        if (wanted.equals(present)) {
            return false;
        }
        ObjectMeta metadata = fabric.getMetadata();
        Fabric object = new Fabric();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(metadata.getName())
                .withUid(metadata.getUid())
                .build());
        object.setStatus(wanted);
        Fabric answer = client.resource(object)
                .subresource("status")
                .patch(ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER));
        synchronized (this) {
            accepted.put(
                    metadata.getUid(),
                    new Accepted(Fact.number(answer.getMetadata().getResourceVersion()), wanted));
        }
        events.tell(fabric, present, wanted);
        return true;
    }
}
