/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.launch.JobFacts;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The FabricJob of one job in the API server. It has the name of its job, and a job that is deleted leaves the name to a later one
 * while its own pods still end. So an object is only written by the job that owns it: the later job waits until the garbage
 * collector has taken the first one's, and the first job writes nothing into the later one's.
 */
public final class FabricJobObject {
    private static final String FIELD_MANAGER = "fabric-job-service";
    private static final PatchContext APPLY = ServerSideApply.by(FIELD_MANAGER);

    private final KubernetesClient client;
    private final JobFacts facts;
    private final BooleanSupplier ownerIsThere;
    private @Nullable FabricJob present;
    private boolean hadOne;

    /** @param ownerIsThere asks the API server for the very job that the facts are of */
    public FabricJobObject(KubernetesClient client, JobFacts facts, BooleanSupplier ownerIsThere) {
        this.client = client;
        this.facts = facts;
        this.ownerIsThere = ownerIsThere;
    }

    /**
     * What it says of the job, {@code null} where there is none or it is of another job of the same name.
     *
     * @throws KubernetesClientException where the API server does not answer
     */
    public @Nullable FabricJobStatus status() {
        FabricJob found = get();
        return found == null || !isOurs(found) ? null : found.getStatus();
    }

    /**
     * Whether the very job is still there, so that its object is worth another try.
     *
     * @throws KubernetesClientException where the API server does not answer
     */
    boolean isWanted() {
        return ownerIsThere.getAsBoolean();
    }

    /**
     * Writes the status, and the object first where it is not there.
     *
     * @return the object, {@code null} where the name has that of another job, which stays as it is
     * @throws KubernetesClientException where the API server does not take it
     */
    @Nullable
    FabricJob write(FabricJobStatus wanted) {
        try {
            FabricJob to = present == null ? takeName() : present;
            present = to;
            if (to != null) {
                hadOne = true;
                FabricJob status = new FabricJob();
                status.setMetadata(new ObjectMetaBuilder()
                        .withNamespace(facts.namespace())
                        .withName(facts.owner().name())
                        .withUid(to.getMetadata().getUid())
                        .build());
                status.setStatus(wanted);
                client.resource(status).subresource("status").patch(APPLY);
            }
            return to;
        } catch (KubernetesClientException e) {
            present = null;
            throw e;
        }
    }

    // Two jobs may take the name at one time: it is created, which only one of both can, or changed as the very object
    // that was found.
    private @Nullable FabricJob takeName() {
        FabricJob found = get();
        if (found == null) {
            return hadOne && !isWanted() ? null : create();
        }
        if (!isOurs(found) && !found.getMetadata().getOwnerReferences().isEmpty()) {
            return null;
        }
        FabricJob object = made();
        object.getMetadata().setUid(found.getMetadata().getUid());
        return client.resource(object).patch(APPLY);
    }

    private @Nullable FabricJob create() {
        try {
            return client.resource(made()).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return null;
            }
            throw e;
        }
    }

    private @Nullable FabricJob get() {
        return client.resources(FabricJob.class)
                .inNamespace(facts.namespace())
                .withName(facts.owner().name())
                .get();
    }

    private boolean isOurs(FabricJob object) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(facts.owner().uid()));
    }

    private FabricJob made() {
        FabricJob object = new FabricJob();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace(facts.namespace())
                .withName(facts.owner().name())
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(facts.owner().apiVersion())
                        .withKind(facts.owner().kind())
                        .withName(facts.owner().name())
                        .withUid(facts.owner().uid())
                        .withController(true)
                        .build())
                .build());
        List<JobAppSpec> apps = facts.apps().stream()
                .map(app -> new JobAppSpec(app.name(), app.pods(), app.ranksPerPod()))
                .toList();
        object.setSpec(new FabricJobSpec(
                apps, facts.rankOrder().name(), facts.assemblyTimeout().toSeconds()));
        return object;
    }
}
