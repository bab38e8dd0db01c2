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
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
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
    /** Pods of a Job that is gone, and pods that lie, cost a read in this time. */
    private static final Duration ABSENCE_KEPT = Duration.ofSeconds(2);
    /** What a Job asks for may change while it is suspended, and its completions later. */
    private static final Duration SPEC_KEPT = Duration.ofSeconds(30);

    private final ApiReader reader;
    private final KubernetesSerialization serialization;
    private final Clock clock;
    private final Map<Reference, Read> reads = new LinkedHashMap<>(16, 0.75f, true);

    private record Reference(String namespace, OwnerRef job) {}

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

    private record Read(FutureTask<@Nullable ControllingJob> job, Instant begun) {}

    public JobOwners(KubernetesClient client, Clock clock) {
        this.reader = new ApiReader(client, CONCURRENT_READS);
        this.serialization = client.getKubernetesSerialization();
        this.clock = clock;
    }

    /**
     * The pod's slot, after asking the API server for its Job where that is not known yet.
     *
     * @return {@code null} where the pod belongs to no Job of its namespace, or has no index there
     * @throws IOException where the API server does not answer
     */
    public @Nullable PodSlot slot(PodFact pod) throws IOException, InterruptedException {
        OwnerRef controller = pod.controller();
        if (controller == null || !IndexedJobs.isJob(controller)) {
            return null;
        }
        ControllingJob job = await(read(new Reference(pod.namespace(), controller), Duration.ofDays(1)));
        return job == null ? null : slot(pod, job);
    }

    /** As {@link #slot(PodFact)} from memory alone: {@code null} where nobody has asked for a pod of this Job before. */
    public @Nullable PodSlot knownSlot(PodFact pod) {
        OwnerRef controller = pod.controller();
        Read read;
        synchronized (reads) {
            read = controller == null ? null : reads.get(new Reference(pod.namespace(), controller));
        }
        if (read == null || read.job().state() != FutureTask.State.SUCCESS) {
            return null;
        }
        ControllingJob job = read.job().resultNow();
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
        if (JobSets.isJobSet(slot.owner())) {
            JsonNode found = get(JobSets.PLURAL, pod.namespace(), slot.owner());
            return found == null ? null : JobSets.job(pod.namespace(), slot.owner(), found, serialization);
        }
        ControllingJob job = await(read(new Reference(pod.namespace(), slot.owner()), SPEC_KEPT));
        return job == null ? null : job.job();
    }

    /**
     * Whether the very owner is still there.
     *
     * @throws IOException where the API server does not answer
     */
    public boolean isThere(DirectJob job) throws IOException, InterruptedException {
        return get(plural(job.owner()), job.namespace(), job.owner()) != null;
    }

    /**
     * Whether the owner makes no more pods.
     *
     * @return {@code null} while it does; one that is gone does not
     * @throws IOException where the API server does not answer
     */
    public @Nullable JobEnd end(DirectJob job) throws IOException, InterruptedException {
        OwnerRef owner = job.owner();
        JsonNode found = get(plural(owner), job.namespace(), owner);
        if (found == null) {
            return new JobEnd(false, owner.kind() + " " + owner.name() + " is gone");
        }
        return JobSets.isJobSet(owner)
                ? JobSets.end(owner, found)
                : IndexedJobs.end(serialization.convertValue(found, Job.class));
    }

    private static String plural(OwnerRef owner) {
        return JobSets.isJobSet(owner) ? JobSets.PLURAL : IndexedJobs.PLURAL;
    }

    /** One thread reads a Job, the others that need it wait for that. */
    private Read read(Reference reference, Duration kept) {
        Read mine;
        synchronized (reads) {
            Instant now = clock.instant();
            Read known = reads.get(reference);
            if (known != null && now.isBefore(known.begun().plus(isAbsent(known) ? ABSENCE_KEPT : kept))) {
                return known;
            }
            mine = new Read(new FutureTask<>(() -> controllingJob(reference)), now);
            reads.put(reference, mine);
            if (reads.size() > MAX_KEPT) {
                reads.remove(reads.keySet().iterator().next());
            }
        }
        mine.job().run();
        if (mine.job().state() != FutureTask.State.SUCCESS) {
            synchronized (reads) {
                reads.remove(reference, mine);
            }
        }
        return mine;
    }

    private static boolean isAbsent(Read read) {
        return read.job().state() == FutureTask.State.SUCCESS && read.job().resultNow() == null;
    }

    private static @Nullable ControllingJob await(Read read) throws IOException, InterruptedException {
        try {
            return read.job().get();
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        }
    }

    private @Nullable ControllingJob controllingJob(Reference reference) throws IOException, InterruptedException {
        JsonNode found = get(IndexedJobs.PLURAL, reference.namespace(), reference.job());
        if (found == null) {
            return null;
        }
        return controllingJob(reference.namespace(), reference.job(), serialization.convertValue(found, Job.class));
    }

    static ControllingJob controllingJob(String namespace, OwnerRef reference, Job job) {
        Map<String, String> selector = IndexedJobs.madeSelector(job);
        OwnerRef above = PodFact.controller(job.getMetadata());
        if (above == null || !JobSets.isJobSet(above)) {
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

    /** Not another one of the same name. */
    private @Nullable JsonNode get(String plural, String namespace, OwnerRef owner)
            throws IOException, InterruptedException {
        ApiReader.ObjectPath path = ApiReader.ObjectPath.of(owner.apiVersion(), plural, namespace, owner.name());
        if (path == null) {
            return null;
        }
        try {
            JsonNode found = reader.get(path, DEADLINE);
            return found != null && owner.uid().equals(found.at("/metadata/uid").textValue()) ? found : null;
        } catch (TimeoutException e) {
            throw new IOException(owner.kind() + " " + namespace + "/" + owner.name() + " was not read in time", e);
        }
    }
}
