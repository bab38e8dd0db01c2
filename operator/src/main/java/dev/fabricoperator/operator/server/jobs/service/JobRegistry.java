/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobKey;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.launch.PodSlot;
import dev.fabricoperator.operator.server.auth.ExpiringCache;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.assembly.RunRanks;
import dev.fabricoperator.protocol.job.PodReport;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The jobs that this replica serves. */
final class JobRegistry {
    private static final Logger LOG = Logger.getLogger(JobRegistry.class);

    /** A service whose pods all join at one time is read once for them. */
    private static final Duration OWNER_KEPT = Duration.ofSeconds(1);

    /** For another pod's reading of the owner; who waits holds a place among all that are answered. */
    private static final Duration OWNER_WAIT = Duration.ofSeconds(2);

    /** Jobs that are asked for their maps in one sweep: after a restart all may have to tell theirs. */
    private static final int MAPS_ASKED_FOR = 50;

    /** For how long a job that another replica serves is taken for what it was, where that one hands on a report each second: its owner is not read for each. */
    private static final Duration JOB_OF_OTHERS_KEPT = Duration.ofMinutes(1);
    /** As many as are watched at one time. */
    private static final int MOST_JOBS_OF_OTHERS = 256;

    private final JobOwners owners;
    private final Opening opening;
    private final SteadyClock clock;
    private final Duration forget;
    private final Map<JobKey, Entry> entries = new ConcurrentHashMap<>();
    /** Jobs that are being opened; nothing stays here of one that could not be. */
    private final Map<JobKey, FutureTask<ServedJob>> openings = new ConcurrentHashMap<>();

    private final ExpiringCache<JobKey, DirectJob> jobsOfOthers;

    /** Begins to serve a job that this replica has not known. */
    interface Opening {
        /**
         * @param first of its pods that was heard of here
         * @param before ends the job as it was served here until now and gives its last attempt, which the FabricJob may not tell yet; {@code null} for a job that was not. Called
         *     when nothing can fail any more
         * @throws KubernetesClientException where the API server does not answer
         */
        ServedJob open(DirectJob job, PodFact first, @Nullable Supplier<Assembly.StoredAttempt> before);
    }

    /** A pod in its job. */
    record Member(ServedJob job, JobPodId pod) {}

    /** @param owner when it was read, last; its lock is held while it is read again */
    private record Entry(ServedJob job, OwnerEndCheck ownerEnd, OwnerRead owner) {}

    private static final class OwnerRead {
        private final ReentrantLock lock = new ReentrantLock();
        /** When that began. */
        private Instant at;

        /** Then those that wait are told to come later, too. */
        private boolean failed;

        /** What it asked for then; another attempt than the one that goes on may be of another size. */
        private volatile DirectJob latest;

        OwnerRead(Instant at, DirectJob latest) {
            this.at = at;
            this.latest = latest;
        }
    }

    JobRegistry(JobOwners owners, Opening opening, SteadyClock clock, Duration forget) {
        this.owners = owners;
        this.opening = opening;
        this.clock = clock;
        this.forget = forget;
        this.jobsOfOthers = new ExpiringCache<>(MOST_JOBS_OF_OTHERS, JOB_OF_OTHERS_KEPT, clock);
    }

    /** @throws JobRefusedException 403 for a pod that belongs to no job of its namespace, 503 where the API server does not answer */
    PodSlot slot(PodFact pod) throws JobRefusedException, InterruptedException {
        try {
            PodSlot slot = owners.slot(pod);
            if (slot == null) {
                throw JobRefusedException.of(
                        403,
                        "pod " + pod.name() + " has no place in " + OwnerKind.ALL_WORDS + " of namespace "
                                + pod.namespace()
                                + ": it has no index among others");
            }
            return slot;
        } catch (IOException e) {
            LOG.warnf("the job of pod %s/%s is not known: %s", pod.namespace(), pod.name(), e.getMessage());
            throw new JobRefusedException(
                    JobResponse.later("the API server could not say which job pod " + pod.name() + " belongs to"));
        }
    }

    /**
     * Reads the owner again where a pod may bring an attempt of another size than the last one: then the job begins anew as it is asked for now, after the same
     * attempts, and its pods ask again. A service, an MPIJob between two runs, and for pods that the job has no slot for, at most once in {@link #OWNER_KEPT}; any other job once for all
     * pods that ask meanwhile, and where pods that wait for others are told that it asks for another job by now; and an MPIJob with each new request for a run, since one that is refused for want of slots is not made again.
     *
     * <p>While an attempt goes on, a pod that it has no slot for ends nothing: the owner is read to know whether it is one of the {@link #ofNextAttempt next}.
     *
     * @throws JobRefusedException 503 where the API server does not answer in time, or for a slot that the job may have got since it was read
     */
    void followOwner(PodFact pod, PodSlot slot, PodReport report) throws JobRefusedException, InterruptedException {
        Instant asked = clock.instant();
        for (Entry known = entries.get(slot.job());
                known != null && mayHaveChanged(known, pod, slot, report);
                known = entries.get(slot.job())) {
            OwnerRead owner = known.owner();
            if (!owner.lock.tryLock(OWNER_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new JobRefusedException(
                        JobResponse.later(slot.owner().words() + " is being read, and the API server is slow"));
            }
            try {
                // Another pod may have begun the attempt, or have had the owner read, while this one waited.
                if (entries.get(slot.job()) != known) {
                    continue;
                }
                if (mayHaveChanged(known, pod, slot, report)) {
                    follow(known, asked, pod, slot, report);
                }
                return;
            } finally {
                owner.lock.unlock();
            }
        }
    }

    private static boolean mayHaveChanged(Entry known, PodFact pod, PodSlot slot, PodReport report) {
        return isBetweenAttempts(known, pod, slot, report) || isWithoutSlot(known.job(), slot);
    }

    /** Whether an attempt goes on that has no slot for the pod. */
    private static boolean isWithoutSlot(ServedJob served, PodSlot slot) {
        return served.job().refusal() == null && served.job().ordinal(slot) < 0 && served.phase() == JobPhase.Running;
    }

    /**
     * The job of a pod that its owner asks for by now, and that the attempt which goes on has no slot for; {@code null} for any other pod. What is known is as old as the last
     * {@link #followOwner}.
     *
     * @throws JobRefusedException 503 where that attempt has ended meanwhile, so that the owner is to be read anew
     */
    @Nullable
    ServedJob ofNextAttempt(PodSlot slot) throws JobRefusedException {
        Entry known = entries.get(slot.job());
        if (known == null || !isToCome(known, slot)) {
            return null;
        }
        JobPhase phase = known.job().phase();
        boolean isOver = phase == JobPhase.Succeeded
                || (phase == JobPhase.Failed && known.job().job().isRunByMpirun());
        if (phase != JobPhase.Running && !isOver) {
            throw new JobRefusedException(JobResponse.later(slot.owner().words() + " is about to begin anew"));
        }
        return isOver ? null : known.job();
    }

    /** Whether the owner has a slot for the pod by now, and the job as it goes on has none. */
    private static boolean isToCome(Entry known, PodSlot slot) {
        DirectJob latest = known.owner().latest;
        DirectJob job = known.job().job();
        return job.refusal() == null && job.ordinal(slot) < 0 && latest.refusal() == null && latest.ordinal(slot) >= 0;
    }

    private static boolean isBetweenAttempts(Entry known, PodFact pod, PodSlot slot, PodReport report) {
        ServedJob served = known.job();
        int ordinal = served.job().ordinal(slot);
        return served.isBetweenAttempts(ordinal < 0 ? null : id(pod, ordinal), report)
                || (served.phase() == JobPhase.Assembling
                        && !known.owner().latest.asksForTheSame(served.job()));
    }

    private void follow(Entry known, Instant asked, PodFact pod, PodSlot slot, PodReport report)
            throws JobRefusedException, InterruptedException {
        DirectJob job = known.job().job();
        boolean asksForRun = job.isRunByMpirun() && job.ordinal(slot) == 0 && report.run() != null;
        boolean mayBeKept = job.refusal() != null || job.isRunByMpirun() || job.isService() || job.ordinal(slot) < 0;
        OwnerRead owner = known.owner();
        // What was read while an attempt went on has begun nothing.
        boolean isToBegin = !owner.latest.asksForTheSame(job) && isBetweenAttempts(known, pod, slot, report);
        if (isToBegin || owner.at.isBefore(mayBeKept && !asksForRun ? asked.minus(OWNER_KEPT) : asked)) {
            owner.at = clock.instant();
            owner.failed = false;
            readAgain(known, pod, slot, report);
        } else if (!owner.failed && job.ordinal(slot) < 0 && job.refusal() == null && !isToCome(known, slot)) {
            throw new JobRefusedException(JobResponse.later(
                    slot.owner().words() + " had no pod " + pod.name() + " when it was read last, a moment ago"));
        }
        // A pod that is begun again, and a run that the job has room for, need no API server.
        boolean isKnown = job.ordinal(slot) >= 0
                && known.job().phase() == JobPhase.Running
                && RunRanks.refusal(job, report) == null;
        if (owner.failed && !isKnown) {
            throw new JobRefusedException(JobResponse.later(
                    "the API server could not say what " + slot.owner().name() + " is"));
        }
    }

    private void readAgain(Entry known, PodFact pod, PodSlot slot, PodReport report)
            throws JobRefusedException, InterruptedException {
        try {
            DirectJob job = owners.job(slot);
            if (job == null || job.asksForTheSame(known.job().job())) {
                known.owner().latest = known.job().job();
                return;
            }
            known.owner().latest = job;
            if (!isBetweenAttempts(known, pod, slot, report)) {
                return;
            }
            String refusal = job.isRunByMpirun() ? RunRanks.refusal(job, report) : null;
            if (refusal != null) {
                // A run that goes on is not ended by one that cannot be.
                throw JobRefusedException.of(409, refusal);
            }
            ServedJob next = opening.open(job, pod, known.job()::closeForAnother);
            if (!entries.replace(slot.job(), known, entry(next, known.owner().at))) {
                next.close(JobResponse.NOTHING);
            }
        } catch (IOException | KubernetesClientException e) {
            LOG.warnf("job %s cannot be read again: %s", slot.job(), e.getMessage());
            known.owner().failed = true;
        }
    }

    private Entry entry(ServedJob served, Instant ownerRead) {
        OwnerRead owner = new OwnerRead(ownerRead, served.job());
        return new Entry(served, new OwnerEndCheck(served, owners, latest -> seen(served, owner, latest)), owner);
    }

    /** The owner was read while pods wait for others: where it asks for another job by now, such as one of fewer pods, those that wait bring it when they ask again. */
    private static void seen(ServedJob served, OwnerRead owner, DirectJob latest) {
        if (latest.refusal() != null
                || served.phase() != JobPhase.Assembling
                || latest.asksForTheSame(served.job())
                || !owner.lock.tryLock()) {
            return;
        }
        try {
            owner.latest = latest;
        } finally {
            owner.lock.unlock();
        }
        served.askAgain();
    }

    /**
     * The pod in its job, which this replica serves from now on.
     *
     * @throws JobRefusedException 403 for a slot that the job does not have, 409 for a job that is gone or too large or has completed, 503 where
     *     the API server does not answer
     */
    Member member(PodFact pod, PodSlot slot) throws JobRefusedException, InterruptedException {
        ServedJob served = served(pod, slot);
        DirectJob job = served.job();
        int ordinal = job.ordinal(slot);
        if (ordinal < 0) {
            throw refusal(served, pod, slot);
        }
        return new Member(served, id(pod, ordinal));
    }

    private static JobRefusedException refusal(ServedJob served, PodFact pod, PodSlot slot) {
        String refusal = served.job().refusal();
        if (refusal != null) {
            return JobRefusedException.of(409, refusal);
        }
        String has = "pod " + pod.name() + " has index " + slot.podIndex() + ", which "
                + slot.owner().words();
        return served.phase() == JobPhase.Succeeded
                ? JobRefusedException.of(
                        409,
                        has
                                + " did not have in the attempt that it has completed: give it its size before it"
                                + " runs, or suspend it for that")
                : JobRefusedException.of(403, has + " does not have");
    }

    private ServedJob served(PodFact pod, PodSlot slot) throws JobRefusedException, InterruptedException {
        Entry known = entries.get(slot.job());
        if (known != null) {
            return known.job();
        }
        FutureTask<ServedJob> mine = new FutureTask<>(() -> open(pod, slot));
        FutureTask<ServedJob> first = Objects.requireNonNullElse(openings.putIfAbsent(slot.job(), mine), mine);
        if (first == mine) {
            try {
                mine.run();
            } finally {
                openings.remove(slot.job(), mine);
            }
        }
        try {
            return first.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof JobRefusedException refused) {
                throw refused;
            }
            if (e.getCause() instanceof IOException || e.getCause() instanceof KubernetesClientException) {
                LOG.warnf("job %s cannot be read: %s", slot.job(), e.getCause().getMessage());
                throw new JobRefusedException(JobResponse.later(
                        "the API server could not say what " + slot.owner().name() + " is"));
            }
            throw new IllegalStateException("job " + slot.job() + " cannot be served", e.getCause());
        }
    }

    private ServedJob open(PodFact pod, PodSlot slot) throws IOException, InterruptedException, JobRefusedException {
        // Another thread may have opened it between this one's two looks.
        Entry known = entries.get(slot.job());
        if (known != null) {
            return known.job();
        }
        Instant now = clock.instant();
        DirectJob job = owners.job(slot);
        if (job == null) {
            throw JobRefusedException.of(
                    409, slot.owner().words() + " is not, or no longer, in namespace " + pod.namespace());
        }
        ServedJob served = opening.open(job, pod, null);
        entries.put(slot.job(), entry(served, now));
        return served;
    }

    /** A pod in its job, which another replica may serve. */
    record Unserved(DirectJob job, JobPodId pod) {}

    /**
     * The pod in its job, of which nothing is begun or kept here.
     *
     * @throws JobRefusedException 409 for a job that is gone, or has no such pod, 503 where the API server does not answer
     */
    Unserved unserved(PodFact pod, PodSlot slot) throws JobRefusedException, InterruptedException {
        Entry entry = entries.get(slot.job());
        DirectJob known =
                entry == null ? jobsOfOthers.get(slot.job()) : entry.job().job();
        // It may be of another size by now.
        if (known != null && known.ordinal(slot) >= 0) {
            return new Unserved(known, id(pod, known.ordinal(slot)));
        }
        DirectJob job;
        try {
            job = entry == null ? owners.job(slot) : known;
        } catch (IOException | KubernetesClientException e) {
            throw new JobRefusedException(JobResponse.later(
                    "the API server could not say what " + slot.owner().name() + " is"));
        }
        int ordinal = job == null ? -1 : job.ordinal(slot);
        if (job == null || ordinal < 0) {
            throw JobRefusedException.of(
                    409, slot.owner().words() + " has no pod " + pod.name() + ", or is not there any more");
        }
        jobsOfOthers.put(slot.job(), job);
        return new Unserved(job, id(pod, ordinal));
    }

    /** A pod in a job of its namespace, by what is known without asking anybody; {@code null} where it is not known to be in that job. */
    @Nullable
    JobPodId known(DirectJob job, PodFact pod) {
        PodSlot slot = owners.knownSlot(pod);
        int ordinal = slot == null || !slot.job().equals(job.key()) ? -1 : job.ordinal(slot);
        return ordinal < 0 ? null : id(pod, ordinal);
    }

    /**
     * The same where another pod of that job names it: one whose controller was not asked for here is believed to be in that job, where the job has pods of other controllers than
     * its owner, such as a JobSet, which may have as many as pods. Nothing is known of it but that it is in the namespace; its ordinal is -1.
     */
    @Nullable
    JobPodId named(DirectJob job, PodFact pod) {
        JobPodId known = known(job, pod);
        OwnerRef controller = pod.controller();
        return known == null
                        && controller != null
                        && pod.namespace().equals(job.namespace())
                        && !controller.kind().equals(job.owner().kind())
                        && owners.isUnread(pod)
                ? id(pod, -1)
                : known;
    }

    /** What the API server says of pods; those of jobs that this replica does not serve are nothing to it. */
    void seen(@Nullable PodFact before, @Nullable PodFact after) {
        if (before != null && after != null && !before.uid().equals(after.uid())) {
            // Volcano, like a StatefulSet, gives a pod the name of the one that it replaces.
            seen(before, null);
        }
        PodFact pod = after == null ? before : after;
        PodSlot slot = pod == null ? null : owners.knownSlot(pod);
        Entry entry = slot == null ? null : entries.get(slot.job());
        if (pod == null || slot == null || entry == null) {
            return;
        }
        int ordinal = entry.job().job().ordinal(slot);
        if (ordinal >= 0) {
            JobPodId id = id(pod, ordinal);
            entry.job().seen(id, after == null ? null : after.life());
            PodFact.HostPrepared preparation = after == null ? null : after.preparation();
            if (preparation != null && (before == null || !preparation.equals(before.preparation()))) {
                entry.job().prepared(id, preparation);
            }
        }
    }

    /** Ends what has waited for long enough, forgets jobs of which nothing was heard for long, and asks some for what this replica does not know. */
    void expire() {
        Instant now = clock.instant();
        int asked = 0;
        for (Entry entry : entries.values()) {
            asked += asked < MAPS_ASKED_FOR && entry.job().askForMap() ? 1 : 0;
        }
        entries.forEach((key, entry) -> {
            entry.job().expire();
            entry.ownerEnd().check(now);
            if (entry.job().isIdleSince(now.minus(forget))) {
                close(key, entry, JobResponse.NOTHING);
            }
        });
    }

    /** Whether the pods of a job are served here. O(jobs). */
    boolean serves(String namespace, String fabricJob) {
        return entries.values().stream()
                .map(Entry::job)
                .anyMatch(each -> each.job().namespace().equals(namespace)
                        && each.objectName().equals(fabricJob));
    }

    /** Tells jobs of their fabrics and of who watches them, where there is news. O(jobs) and what the news cost. */
    void tellNews() {
        entries.values().forEach(entry -> {
            entry.job().tellFabric();
            entry.job().tellTrafficWanted();
        });
    }

    /** Tells jobs that links of some devices may be about to fail, or are well again. */
    void devicesChanged() {
        entries.values().forEach(entry -> entry.job().devicesChanged());
    }

    /** Jobs that are another replica's now go there with their next request. */
    void release(Replicas replicas) {
        entries.forEach((key, entry) -> {
            if (replicas.otherFor(key) != null) {
                close(key, entry, JobResponse.NOTHING);
            }
        });
    }

    /** This replica ends; who waits asks another one. */
    void close() {
        entries.forEach((key, entry) -> close(key, entry, JobResponse.later("this replica ends")));
    }

    private void close(JobKey key, Entry entry, JobResponse answer) {
        if (entries.remove(key, entry)) {
            entry.job().close(answer);
        }
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
