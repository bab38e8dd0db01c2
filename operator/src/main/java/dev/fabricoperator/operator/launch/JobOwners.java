/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.operator.cluster.ApiReader;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which job a pod belongs to, by the objects that control it: the pod's controller must be a Job that the API server has in the
 * pod's own namespace with that UID, and whose selector the pod matches; the job is that Job, or the JobSet that controls it.
 * Nobody can so reach a job of another namespace, whatever labels and owner references a pod has.
 *
 * <p>Within a namespace the API server lets anybody who creates pods write both, and the Job controller counts such a pod as its
 * own: there the border of trust is the namespace.
 */
public final class JobOwners {
    private static final int CONCURRENT_READS = 32;
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    /** A Job's owner never changes, so that what was read is kept for a day, or until as many newer ones displace it. */
    private static final int MAX_KEPT = 16_384;
    /** What a Job asks for may change while it is suspended, and its completions later. */
    private static final Duration SPEC_KEPT = Duration.ofSeconds(30);

    private final OwnerReader<ControllingJob> reader;
    private final KubernetesSerialization serialization;

    /**
     * A Job that controls pods.
     *
     * @param selector those of its labels that Kubernetes has made
     * @param owner the Job itself, or its JobSet
     * @param job what it asks for, {@code null} for a Job of a JobSet
     */
    record ControllingJob(
            Map<String, String> selector,
            OwnerRef owner,
            @Nullable String app,
            int jobIndex,
            @Nullable DirectJob job) {}

    public JobOwners(KubernetesClient client, Clock clock) {
        this.serialization = client.getKubernetesSerialization();
        this.reader = new OwnerReader<>(
                new ApiReader(client, CONCURRENT_READS),
                clock,
                DEADLINE,
                MAX_KEPT,
                (namespace, reference, job, others) ->
                        controllingJob(namespace, reference, serialization.convertValue(job, Job.class)));
    }

    /**
     * The pod's slot, after asking the API server for its Job where that is not known yet.
     *
     * @return {@code null} where the pod belongs to no Job of its namespace, or has no index there
     * @throws IOException where the API server does not answer
     */
    public @Nullable PodSlot slot(PodFact pod) throws IOException, InterruptedException {
        OwnerRef controller = pod.controller();
        if (controller == null || !controller.isJob()) {
            return null;
        }
        ControllingJob job = reader.read(pod.namespace(), controller, Duration.ofDays(1));
        return job == null ? null : slot(pod, job);
    }

    /** As {@link #slot(PodFact)} from memory alone: {@code null} where nobody has asked for a pod of this Job before. */
    public @Nullable PodSlot knownSlot(PodFact pod) {
        OwnerRef controller = pod.controller();
        ControllingJob job = controller == null ? null : reader.known(pod.namespace(), controller);
        return job == null ? null : slot(pod, job);
    }

    static @Nullable PodSlot slot(PodFact pod, ControllingJob job) {
        int index = IndexedJobs.number(pod.labels().get(IndexedJobs.INDEX_LABEL));
        boolean selected = pod.labels().entrySet().containsAll(job.selector().entrySet());
        return index < 0 || !selected
                ? null
                : new PodSlot(
                        new JobKey(pod.namespace(), job.owner().uid()), job.owner(), job.app(), job.jobIndex(), index);
    }

    /**
     * What the pod's job asks for.
     *
     * @return {@code null} where the owner is gone
     * @throws IOException where the API server does not answer
     */
    public @Nullable DirectJob job(PodFact pod, PodSlot slot) throws IOException, InterruptedException {
        if (slot.owner().isJobSet()) {
            JsonNode found = reader.get(pod.namespace(), slot.owner());
            return found == null ? null : JobSets.job(pod.namespace(), slot.owner(), found, serialization);
        }
        ControllingJob job = reader.read(pod.namespace(), slot.owner(), SPEC_KEPT);
        return job == null ? null : job.job();
    }

    /**
     * Whether the very owner is still there.
     *
     * @throws IOException where the API server does not answer
     */
    public boolean isThere(DirectJob job) throws IOException, InterruptedException {
        return reader.get(job.namespace(), job.owner()) != null;
    }

    /**
     * Whether the owner makes no more pods.
     *
     * @return {@code null} while it does; one that is gone does not
     * @throws IOException where the API server does not answer
     */
    public @Nullable JobEnd end(DirectJob job) throws IOException, InterruptedException {
        OwnerRef owner = job.owner();
        JsonNode found = reader.get(job.namespace(), owner);
        if (found == null) {
            return new JobEnd(false, owner.kind() + " " + owner.name() + " is gone");
        }
        return owner.isJobSet()
                ? JobSets.end(owner, found)
                : IndexedJobs.end(serialization.convertValue(found, Job.class));
    }

    static ControllingJob controllingJob(String namespace, OwnerRef reference, Job job) {
        Map<String, String> selector = IndexedJobs.madeSelector(job);
        OwnerRef above = OwnerRef.controller(job.getMetadata());
        if (above == null || !above.isJobSet()) {
            return new ControllingJob(
                    selector, reference, null, 0, IndexedJobs.job(namespace, reference, job.getSpec()));
        }
        Map<String, String> labels =
                Objects.requireNonNullElse(job.getMetadata().getLabels(), Map.of());
        return new ControllingJob(
                selector,
                above,
                labels.getOrDefault(JobSets.APP_LABEL, ""),
                IndexedJobs.number(labels.get(JobSets.JOB_INDEX_LABEL)),
                null);
    }
}
