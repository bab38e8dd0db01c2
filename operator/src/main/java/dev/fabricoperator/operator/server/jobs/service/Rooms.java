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
final class Rooms {
    private final List<JobKind> kinds;
    private final Opening opening;
    private final Clock clock;
    private final Duration forget;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    /** Makes the room of a job that this replica has not known. */
    interface Opening {
        /** @throws KubernetesClientException where the API server does not answer */
        Room open(JobFacts facts);
    }

    /** Where a pod belongs. */
    record Place(Room room, JobPodId pod) {}

    /** One thread opens a room, the others of the job wait for it. */
    private static final class Entry {
        private final ReentrantLock opening = new ReentrantLock();
        private volatile @Nullable Room room;
        private final Desertion desertion = new Desertion();
    }

    Rooms(List<JobKind> kinds, Opening opening, Clock clock, Duration forget) {
        this.kinds = List.copyOf(kinds);
        this.opening = opening;
        this.clock = clock;
        this.forget = forget;
    }

    /** @throws RefusedException 403 for a pod that belongs to no job */
    Claim claim(PodFact pod) throws RefusedException {
        Claim claim = claimOrNull(pod);
        if (claim == null) {
            throw RefusedException.of(
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
     * @throws RefusedException 403 for a place that the job does not have, 503 where the API server does not answer
     */
    Place place(PodFact pod, Claim claim) throws RefusedException {
        Room room = room(pod, claim);
        int ordinal = room.assembly().facts().ordinal(claim);
        if (ordinal < 0) {
            throw RefusedException.of(
                    403,
                    "pod " + pod.name() + " has index " + claim.podIndex() + ", which "
                            + claim.owner().kind() + " " + claim.owner().name() + " does not have");
        }
        return new Place(room, id(pod, ordinal));
    }

    private Room room(PodFact pod, Claim claim) throws RefusedException {
        Entry entry =
                Objects.requireNonNull(entries.computeIfAbsent(claim.owner().uid(), uid -> new Entry()));
        Room known = entry.room;
        if (known != null) {
            return known;
        }
        entry.opening.lock();
        try {
            Room opened = entry.room;
            if (opened == null) {
                opened = opening.open(facts(pod, claim));
                entry.room = opened;
            }
            return opened;
        } catch (KubernetesClientException e) {
            throw new RefusedException(Answer.later(
                    "the API server could not say what " + claim.owner().name() + " is"));
        } finally {
            entry.opening.unlock();
        }
    }

    private JobFacts facts(PodFact pod, Claim claim) throws RefusedException {
        for (JobKind kind : kinds) {
            if (claim.equals(kind.claim(pod))) {
                JobFacts facts = kind.read(pod.namespace(), claim.owner());
                if (facts != null) {
                    return facts;
                }
            }
        }
        entries.remove(claim.owner().uid());
        throw RefusedException.of(
                409, claim.owner().kind() + " " + claim.owner().name() + " is gone");
    }

    /** What the API server says of pods; those of jobs that this replica does not have are nothing to it. */
    void seen(@Nullable PodFact before, @Nullable PodFact after) {
        PodFact pod = after == null ? before : after;
        Claim claim = pod == null ? null : claimOrNull(pod);
        Entry entry = claim == null ? null : entries.get(claim.owner().uid());
        Room room = entry == null ? null : entry.room;
        if (pod == null || claim == null || room == null) {
            return;
        }
        int ordinal = room.assembly().facts().ordinal(claim);
        if (ordinal >= 0) {
            room.seen(id(pod, ordinal), after == null ? null : after.life());
        }
    }

    /** Looks at the clock for every job, and forgets those of which nothing was heard for long. */
    void look() {
        Instant old = clock.instant().minus(forget);
        entries.values().removeIf(entry -> {
            Room room = entry.room;
            if (room == null) {
                return false;
            }
            room.look();
            entry.desertion.look(room, kinds, clock.instant());
            return room.isIdleSince(old);
        });
    }

    /** Jobs that are another replica's now go there with their next question. */
    void release(Replicas replicas) {
        entries.forEach((uid, entry) -> {
            Room room = entry.room;
            if (room != null && replicas.otherFor(uid) != null) {
                entries.remove(uid, entry);
                room.dismiss(Answer.NOTHING);
            }
        });
    }

    /** This replica ends; who waits asks another one. */
    void close() {
        entries.values().forEach(entry -> {
            Room room = entry.room;
            if (room != null) {
                room.dismiss(Answer.later("this replica ends"));
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
