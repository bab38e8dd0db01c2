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
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.OwnerRef;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The FabricJob of one job in the API server. It has the name of its job, and a job that is deleted leaves the name to a later one
 * while its own pods still end. So an object is only written by the job that owns it: the later job waits until the garbage
 * collector has taken the first one's, and the first job writes nothing into the later one's.
 *
 * <p>A status is written to the object as it was written here last: where somebody else has written meanwhile the API server refuses it, and what that one says is read first
 * (ADR 23).
 */
public final class FabricJobObject {
    private static final String FIELD_MANAGER = "fabric-job-service";
    private static final PatchContext APPLY = ServerSideApply.by(FIELD_MANAGER);

    private final KubernetesClient client;
    private final DirectJob job;
    private final JobOwners owners;
    private volatile String name;
    private @Nullable FabricJob present;
    private boolean hadOne;

    public FabricJobObject(KubernetesClient client, DirectJob job, JobOwners owners) {
        this.client = client;
        this.job = job;
        this.owners = owners;
        this.name = job.name();
    }

    /** As far as it is known by now. */
    public String name() {
        return name;
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
     * @throws IOException where the API server does not answer
     */
    boolean isWanted() throws IOException, InterruptedException {
        return owners.isThere(job);
    }

    /**
     * Whether the job's owner makes no more pods, {@code null} while it does.
     *
     * @throws IOException where the API server does not answer
     */
    @Nullable
    JobEnd ownerEnd() throws IOException, InterruptedException {
        return owners.end(job);
    }

    /**
     * What the object says where that may be other than what was written here last, since the API server has not taken it or has not said so; {@code null} where it is not.
     *
     * @throws KubernetesClientException where the API server does not answer
     */
    @Nullable
    FabricJobStatus saidMeanwhile() throws IOException, InterruptedException {
        if (present != null || !hadOne) {
            return null;
        }
        present = takeName();
        return present == null ? null : present.getStatus();
    }

    /**
     * Writes the status, and the object first where it is not there.
     *
     * @return the object, {@code null} where the name has that of another job, which stays as it is
     * @throws KubernetesClientException where the API server does not take it, 409 where somebody else has written
     */
    @Nullable
    FabricJob write(FabricJobStatus wanted) throws IOException, InterruptedException {
        try {
            FabricJob to = present == null ? takeName() : present;
            present = to;
            if (to != null) {
                hadOne = true;
                FabricJob status = new FabricJob();
                status.setMetadata(new ObjectMetaBuilder()
                        .withNamespace(job.namespace())
                        .withName(name)
                        .withUid(to.getMetadata().getUid())
                        .withResourceVersion(to.getMetadata().getResourceVersion())
                        .build());
                status.setStatus(wanted);
                present = client.resource(status).subresource("status").patch(APPLY);
            }
            return present;
        } catch (KubernetesClientException | IOException e) {
            present = null;
            throw e;
        }
    }

    // Two jobs may take the name at one time: it is created, which only one of both can, or changed as the very object
    // that was found.
    private @Nullable FabricJob takeName() throws IOException, InterruptedException {
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

    /** Owners of two kinds may have one name for good: the later one's object has its kind behind the name. */
    private @Nullable FabricJob get() {
        FabricJob found = get(name);
        OwnerKind kind = OwnerKind.of(job.owner());
        if (found != null && kind != null && isOfAnotherKind(found, kind)) {
            name = job.name() + "-" + kind.suffix();
            found = get(name);
        }
        return found;
    }

    private @Nullable FabricJob get(String asked) {
        return client.resources(FabricJob.class)
                .inNamespace(job.namespace())
                .withName(asked)
                .get();
    }

    private static boolean isOfAnotherKind(FabricJob object, OwnerKind kind) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(other ->
                        Boolean.TRUE.equals(other.getController()) && OwnerKind.of(OwnerRef.of(other)) != kind);
    }

    private boolean isOurs(FabricJob object) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(job.owner().uid()));
    }

    private FabricJob made() {
        FabricJob object = new FabricJob();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace(job.namespace())
                .withName(name)
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(job.owner().apiVersion())
                        .withKind(job.owner().kind())
                        .withName(job.owner().name())
                        .withUid(job.owner().uid())
                        .withController(true)
                        .build())
                .build());
        List<JobAppSpec> apps = job.apps().stream()
                // The launcher of an MPIJob has no ranks, a template that makes no pods none either.
                .filter(app -> app.ranks() > 0)
                .map(app -> new JobAppSpec(app.name(), app.pods(), app.ranksPerPod()))
                .toList();
        object.setSpec(new FabricJobSpec(
                apps, job.rankOrder().name(), job.assemblyTimeout().toSeconds()));
        return object;
    }
}
