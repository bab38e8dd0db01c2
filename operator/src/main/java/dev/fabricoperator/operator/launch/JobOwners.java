/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.ApiReader;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which job a pod belongs to, by the objects that control it: the pod's controller must be a Job, of Kubernetes or of Volcano, or a StatefulSet, that the API
 * server has in the pod's own namespace with that UID, and that counts the pod as one of its own: by its selector, or by the pod's name. The
 * job is that object, or the JobSet, MPIJob or LeaderWorkerSet behind it; workers of an MPIJob are controlled by it itself.
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

    private static final Duration KEPT = Duration.ofDays(1);

    private final OwnerReader<PodOwner> reader;

    public JobOwners(KubernetesClient client, SteadyClock clock) {
        this.reader = new OwnerReader<>(
                new ApiReader(client, CONCURRENT_READS),
                clock,
                DEADLINE,
                MAX_KEPT,
                (namespace, reference, owner, others) -> {
                    PodOwnerKind kind = PodOwnerKind.of(reference);
                    return kind == null ? null : kind.podOwner(reference, owner, others);
                });
    }

    /**
     * The pod's slot, after asking the API server for its Job where that is not known yet.
     *
     * @return {@code null} where the pod belongs to no Job of its namespace, or has no index there
     * @throws IOException where the API server does not answer
     */
    public @Nullable PodSlot slot(PodFact pod) throws IOException, InterruptedException {
        OwnerRef controller = pod.controller();
        if (controller == null || PodOwnerKind.of(controller) == null) {
            return null;
        }
        PodOwner owner = reader.read(pod.namespace(), controller, KEPT);
        return owner == null ? null : owner.places().slot(pod);
    }

    /** As {@link #slot(PodFact)} from memory alone: {@code null} where nobody has asked for a pod of this Job before. */
    public @Nullable PodSlot knownSlot(PodFact pod) {
        OwnerRef controller = pod.controller();
        PodOwner owner = controller == null ? null : reader.known(pod.namespace(), controller);
        return owner == null ? null : owner.places().slot(pod);
    }

    /** Whether the pod may be one of a job that nobody has asked the API server for, so that {@link #knownSlot} says nothing. */
    public boolean isUnread(PodFact pod) {
        OwnerRef controller = pod.controller();
        return controller != null
                && PodOwnerKind.of(controller) != null
                && reader.known(pod.namespace(), controller) == null;
    }

    /**
     * What the pod's job asks for.
     *
     * @return {@code null} where the owner is gone
     * @throws IOException where the API server does not answer
     */
    public @Nullable DirectJob job(PodSlot slot) throws IOException, InterruptedException {
        String namespace = slot.job().namespace();
        OwnerKind kind = OwnerKind.of(slot.owner());
        JsonNode found = reader.get(namespace, slot.owner());
        return found == null || kind == null ? null : kind.job(namespace, slot.owner(), found);
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
        return end(job.namespace(), job.owner());
    }

    /**
     * What an owner says while pods of its job wait.
     *
     * @param end why not all of them will come, {@code null} where they may
     * @param job what it asks for by now, {@code null} where there is no such owner any more
     */
    public record Look(@Nullable JobEnd end, @Nullable DirectJob job) {}

    /**
     * As {@link #end(DirectJob)}, with what the owner asks for; and whether a Job that the owner has made makes some pod no more, of which the owner says nothing. Reads the Jobs of the pods
     * that are missing, each once, where they can give up a pod alone.
     *
     * @param missing ordinals of pods that others wait for
     */
    public Look look(DirectJob job, List<Integer> missing) throws IOException, InterruptedException {
        OwnerRef owner = job.owner();
        JsonNode found = reader.get(job.namespace(), owner);
        OwnerKind kind = OwnerKind.of(owner);
        JobEnd end = end(owner, found);
        if (found == null || kind == null) {
            return new Look(end, null);
        }
        return new Look(
                end == null ? withoutSomePod(kind, found, job, missing) : end, kind.job(job.namespace(), owner, found));
    }

    private @Nullable JobEnd withoutSomePod(OwnerKind kind, JsonNode object, DirectJob job, List<Integer> missing)
            throws IOException, InterruptedException {
        Set<String> jobs = new LinkedHashSet<>();
        for (int ordinal : missing) {
            String name = kind.jobOf(object, job, ordinal);
            if (name != null && jobs.add(name)) {
                JsonNode found = reader.getJob(job.namespace(), job.owner(), name);
                JobEnd without = found == null ? null : IndexedJobs.withoutSomeIndex(found);
                if (without != null) {
                    return without;
                }
            }
        }
        return null;
    }

    /**
     * As {@link #end(DirectJob)}.
     *
     * @param owner of a kind that jobs are launched for
     */
    public @Nullable JobEnd end(String namespace, OwnerRef owner) throws IOException, InterruptedException {
        return end(owner, reader.get(namespace, owner));
    }

    private static @Nullable JobEnd end(OwnerRef owner, @Nullable JsonNode found) {
        OwnerKind kind = OwnerKind.of(owner);
        return found == null || kind == null ? new JobEnd(false, owner.words() + " is gone") : kind.end(owner, found);
    }
}
