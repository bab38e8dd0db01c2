/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.Claim;
import dev.fabricoperator.operator.launch.JobFacts;
import dev.fabricoperator.operator.launch.JobKind;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The jobs of this replica, by the UID of their owner. */
final class JobRegistry {
    private final List<JobKind> kinds;
    private final Opening opening;
    private final Clock clock;
    private final Duration forget;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    /** Makes the job of a job that this replica has not known. */
    interface Opening {
        /** @throws KubernetesClientException where the API server does not answer */
        ServedJob open(JobFacts facts);
    }

    /** Where a pod belongs. */
    record Member(ServedJob job, JobPodId pod) {}

    /** One thread opens a job, the others of the job wait for it. */
    private static final class Entry {
        private final ReentrantLock opening = new ReentrantLock();
        private volatile @Nullable ServedJob job;
        private final OwnerEndCheck ownerEnd = new OwnerEndCheck();
    }

    JobRegistry(List<JobKind> kinds, Opening opening, Clock clock, Duration forget) {
        this.kinds = List.copyOf(kinds);
        this.opening = opening;
        this.clock = clock;
        this.forget = forget;
    }

    /** @throws JobRefusedException 403 for a pod that belongs to no job */
    Claim claim(PodFact pod) throws JobRefusedException {
        Claim claim = claimOrNull(pod);
        if (claim == null) {
            throw JobRefusedException.of(
                    403,
                    "pod " + pod.name() + " belongs to no Indexed Job and no JobSet: it has no index among others");
        }
        return claim;
    }

    private @Nullable Claim claimOrNull(PodFact pod) {
        // A pod of a JobSet is one of a Job, too.
        for (JobKind kind : kinds) {
            Claim claim = kind.claim(pod);
            if (claim != null) {
                return claim;
            }
        }
        return null;
    }

    /**
     * The pod's place, after asking for the owner where this replica has not known the job.
     *
     * @throws JobRefusedException 403 for a place that the job does not have, 503 where the API server does not answer
     */
    Member member(PodFact pod, Claim claim) throws JobRefusedException {
        ServedJob job = job(pod, claim);
        int ordinal = job.assembly().facts().ordinal(claim);
        if (ordinal < 0) {
            throw JobRefusedException.of(
                    403,
                    "pod " + pod.name() + " has index " + claim.podIndex() + ", which "
                            + claim.owner().kind() + " " + claim.owner().name() + " does not have");
        }
        return new Member(job, id(pod, ordinal));
    }

    private ServedJob job(PodFact pod, Claim claim) throws JobRefusedException {
        Entry entry =
                Objects.requireNonNull(entries.computeIfAbsent(claim.owner().uid(), uid -> new Entry()));
        ServedJob known = entry.job;
        if (known != null) {
            return known;
        }
        entry.opening.lock();
        try {
            ServedJob opened = entry.job;
            if (opened == null) {
                opened = opening.open(facts(pod, claim));
                entry.job = opened;
            }
            return opened;
        } catch (KubernetesClientException e) {
            throw new JobRefusedException(JobResponse.later(
                    "the API server could not say what " + claim.owner().name() + " is"));
        } finally {
            entry.opening.unlock();
        }
    }

    private JobFacts facts(PodFact pod, Claim claim) throws JobRefusedException {
        for (JobKind kind : kinds) {
            if (claim.equals(kind.claim(pod))) {
                JobFacts facts = kind.read(pod.namespace(), claim.owner());
                if (facts != null) {
                    return facts;
                }
            }
        }
        entries.remove(claim.owner().uid());
        throw JobRefusedException.of(
                409, claim.owner().kind() + " " + claim.owner().name() + " is gone");
    }

    /** What the API server says of pods; those of jobs that this replica does not have are nothing to it. */
    void seen(@Nullable PodFact before, @Nullable PodFact after) {
        PodFact pod = after == null ? before : after;
        Claim claim = pod == null ? null : claimOrNull(pod);
        Entry entry = claim == null ? null : entries.get(claim.owner().uid());
        ServedJob job = entry == null ? null : entry.job;
        if (pod == null || claim == null || job == null) {
            return;
        }
        int ordinal = job.assembly().facts().ordinal(claim);
        if (ordinal >= 0) {
            job.seen(id(pod, ordinal), after == null ? null : after.life());
        }
    }

    /** Looks at the clock for every job, and forgets those of which nothing was heard for long. */
    void expire() {
        Instant old = clock.instant().minus(forget);
        entries.values().removeIf(entry -> {
            ServedJob job = entry.job;
            if (job == null) {
                return false;
            }
            job.expire();
            entry.ownerEnd.check(job, kinds, clock.instant());
            return job.isIdleSince(old);
        });
    }

    /** Jobs that are another replica's now go there with their next question. */
    void release(Replicas replicas) {
        entries.forEach((uid, entry) -> {
            ServedJob job = entry.job;
            if (job != null && replicas.otherFor(uid) != null) {
                entries.remove(uid, entry);
                job.dismiss(JobResponse.NOTHING);
            }
        });
    }

    /** This replica ends; who waits asks another one. */
    void close() {
        entries.values().forEach(entry -> {
            ServedJob job = entry.job;
            if (job != null) {
                job.dismiss(JobResponse.later("this replica ends"));
            }
        });
        entries.clear();
    }

    private static JobPodId id(PodFact pod, int ordinal) {
        Instant created;
        try {
            created = Instant.parse(pod.createdAt());
        } catch (DateTimeParseException e) {
            created = Instant.EPOCH;
        }
        return new JobPodId(ordinal, pod.name(), pod.uid(), created, Objects.requireNonNullElse(pod.nodeName(), ""));
    }
}
