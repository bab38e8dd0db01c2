/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import dev.fabricoperator.operator.server.jobs.assembly.Reply;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.PodReport;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One job: its assembly, and the answers that wait for it. No thread waits; an answer is completed by whoever changes what it
 * waits for, or by the regular {@link #expire}.
 */
final class ServedJob {
    private static final Logger LOG = Logger.getLogger(ServedJob.class);
    private static final Duration UPDATE_PAUSE = Duration.ofSeconds(1);
    /** Behind an update that is not one of many: what a pulled cable changes is known in two steps, costs and then forwarding tables. */
    private static final Duration SECOND_UPDATE_PAUSE = Duration.ofMillis(100);

    private static final Duration PAUSE_AFTER_DEFECT = Duration.ofMinutes(1);
    /** Between two questions for the map that a pod holds; each is twice as long as the one before. */
    private static final Duration FIRST_MAP_PAUSE = Duration.ofSeconds(4);

    private static final Duration LAST_MAP_PAUSE = Duration.ofMinutes(5);

    private final Assembly assembly;
    private final Supplier<JobTickets> tickets;
    private final Clock clock;
    private final SteadyClock steady;
    private final Duration hold;
    private Runnable changed = () -> {};
    private Runnable closing = () -> {};
    private Supplier<String> objectName;
    private BooleanSupplier watched = () -> false;
    /** By ordinal: a pod that pushes again gives up its earlier question. */
    private final Map<Integer, Held> joining = new HashMap<>();

    private final Map<Integer, Held> watching = new HashMap<>();
    /** Pods of the next attempt, which this one has no slot for, by UID. */
    private final Map<String, HeldForNext> waitingForNext = new HashMap<>();

    private final AtomicReference<@Nullable FabricOfJob> fabric;
    /** Of the pod that waits for news of the fabric. */
    private @Nullable Held asking;

    /** Of the pod that waits to be told whether somebody watches what the job sends. */
    private @Nullable Held askingTraffic;

    /** Of the pod that was asked for its map, and has not told it yet. */
    private @Nullable Held askedForMap;

    private Instant nextMap = Instant.MIN;
    private Duration mapPause = FIRST_MAP_PAUSE;
    private Instant nextUpdate = Instant.MIN;
    private Instant lastUpdate = Instant.MIN;
    private Instant nextTraffic = Instant.MIN;
    /** The latest attempt of which the last report was told. */
    private int lastTrafficOf = -1;

    private Instant nextLastTraffic = Instant.MIN;

    private Instant touched;
    private int seenEpoch;
    private boolean closed;

    /**
     * An answer that waits for something to happen, at most {@code hold}.
     *
     * @param inFull whether a ticket will not do
     * @param seen what the pod knows of the job's fabric, {@code null} where it is not to be told more
     * @param live whether the job's pods tell what they send now, {@code null} where this one is not to be told whether somebody watches
     */
    private record Held(
            JobPodId pod,
            int attempt,
            boolean inFull,
            @Nullable SeenFabric seen,
            @Nullable Boolean live,
            Instant until,
            CompletableFuture<JobResponse> answer) {}

    /**
     * What a pod knows of its job's fabric.
     *
     * @param pending whether it knows that another generation is on its way
     * @param others generations of the job's other fabrics that it knows, as {@link JobMap#otherGenerations} says them; {@code null} for a pod of a
     *     release that knows one fabric
     * @param routes that it knows, as {@link JobMap#knownRoutes} says them; {@code null} for a pod of a release that knows none
     * @param impaired which devices with impaired links it knows, as {@link JobFabricUpdate.Impaired#digest} says them; {@code null} for a pod of a
     *     release that tells its ranks of none
     * @param reads highest version of a map that it reads; a release that does not say it reads routes
     */
    record SeenFabric(
            long generation,
            boolean pending,
            @Nullable String others,
            @Nullable String routes,
            @Nullable String impaired,
            int reads) {
        SeenFabric(
                long generation,
                boolean pending,
                @Nullable String others,
                @Nullable String routes,
                @Nullable String impaired) {
            this(generation, pending, others, routes, impaired, JobMapCodec.VERSION_WITH_ROUTES);
        }
    }

    private record HeldForNext(Instant until, CompletableFuture<JobResponse> answer) {}

    private record Due(CompletableFuture<JobResponse> future, JobResponse answer) {}

    /** Makes of the map that a pod holds what is told of its fabric. */
    @FunctionalInterface
    interface Learning {
        FabricOfJob learn() throws JobRefusedException;
    }

    /**
     * @param tickets of the attempt that has become whole last
     * @param fabric of that attempt, {@code null} for none, and as long as only other replicas know it
     */
    ServedJob(
            Assembly assembly,
            Supplier<JobTickets> tickets,
            AtomicReference<@Nullable FabricOfJob> fabric,
            Clock clock,
            SteadyClock steady,
            Duration hold) {
        this.assembly = assembly;
        this.tickets = tickets;
        this.fabric = fabric;
        this.clock = clock;
        this.steady = steady;
        this.hold = hold;
        this.objectName = () -> assembly.job().name();
        this.touched = steady.instant();
        this.seenEpoch = assembly.epoch();
    }

    /**
     * Set before anybody joins; both on threads that must not wait.
     *
     * @param onChange runs when {@link #progress} may be another
     * @param onClose runs when this replica has the job no longer
     */
    void listen(Runnable onChange, Runnable onClose) {
        changed = onChange;
        closing = onClose;
    }

    /** Set before anybody joins. */
    void isCalled(Supplier<String> newObjectName) {
        objectName = newObjectName;
    }

    /**
     * Set before anybody joins.
     *
     * @param isWatched whether somebody watches what the job sends; O(1)
     */
    void isWatched(BooleanSupplier isWatched) {
        watched = isWatched;
    }

    /** Of its FabricJob. */
    String objectName() {
        return objectName.get();
    }

    /** What may be told of the job's devices is another thing than before. */
    void devicesChanged() {
        FabricOfJob known = fabric.get();
        if (known != null) {
            known.devicesChanged();
        }
        changed.run();
    }

    DirectJob job() {
        return assembly.job();
    }

    /**
     * For how long a report of what the job has sent is too early after the last one, of whichever attempt; one that may be told, for which this is nothing, counts as told.
     *
     * @param pause after one that nobody watches
     * @param pauseOfWatched after one that somebody does, and between last ones of attempts
     * @param last the attempt of which it is the last report, of which one may be told so long after that of another attempt; -1 for one that others follow
     */
    Duration pauseOfTraffic(Duration pause, Duration pauseOfWatched, int last) {
        boolean isWatched = watched.getAsBoolean();
        synchronized (this) {
            Instant now = steady.instant();
            // Nobody knows here which attempts there are: a pod may say any number of them.
            if (last > lastTrafficOf && !now.isBefore(nextLastTraffic)) {
                lastTrafficOf = last;
                nextLastTraffic = now.plus(pauseOfWatched);
            } else if (now.isBefore(nextTraffic)) {
                return Duration.between(now, nextTraffic);
            }
            nextTraffic = now.plus(isWatched ? pauseOfWatched : pause);
            return Duration.ZERO;
        }
    }

    /** @param inFull whether a ticket will not do */
    CompletableFuture<JobResponse> join(JobPodId pod, PodReport report, boolean inFull) {
        return step(due -> {
            Reply reply = assembly.join(pod, report, steady.instant(), clock.instant());
            Held watch = watching.get(pod.ordinal());
            if (watch != null
                    && !watch.pod().uid().equals(pod.uid())
                    && assembly.isOutdated(watch.pod(), watch.attempt())) {
                watching.remove(pod.ordinal());
                due.add(new Due(watch.answer(), JobResponse.NEWER_ATTEMPT));
            }
            if (!(reply instanceof Reply.Wait)) {
                return CompletableFuture.completedFuture(answer(reply, pod, inFull));
            }
            return hold(joining, pod, 0, inFull, null, null, due);
        });
    }

    /** For a pod that this attempt has no slot for: it asks again when there may be another, and is told now and then that this one goes on. */
    CompletableFuture<JobResponse> awaitNextAttempt(String podUid) {
        return step(due -> {
            if (assembly.phase() != JobPhase.Running) {
                return CompletableFuture.completedFuture(JobResponse.NOTHING);
            }
            touched = steady.instant();
            HeldForNext held = new HeldForNext(touched.plus(hold), new CompletableFuture<>());
            HeldForNext before = waitingForNext.put(podUid, held);
            if (before != null) {
                due.add(new Due(before.answer(), JobResponse.NOTHING));
            }
            return held.answer();
        });
    }

    /**
     * @param seen what the pod knows of the fabric, {@code null} where it does not ask for more; only the job's first pod is told
     * @param live whether the job's pods tell what they send once a second, {@code null} where this one does not ask whether they should
     */
    CompletableFuture<JobResponse> watch(JobPodId pod, int attempt, @Nullable SeenFabric seen, @Nullable Boolean live) {
        FabricOfJob known = fabric.get();
        SeenFabric toTell = known == null || !known.isOf(attempt) || known.isTold(pod.name(), attempt) ? seen : null;
        CompletableFuture<JobResponse> answer = step(due -> assembly.isOutdated(pod, attempt)
                ? CompletableFuture.completedFuture(JobResponse.NEWER_ATTEMPT)
                : hold(watching, pod, attempt, false, toTell, live, due));
        if (toTell != null) {
            tellFabric();
        }
        if (live != null) {
            tellTrafficWanted();
        }
        return answer;
    }

    private static boolean isUnknown(@Nullable FabricOfJob known, int attempt) {
        return known == null || !known.isOf(attempt);
    }

    /**
     * Asks the pod that waits for news of the fabric for the map that it holds, where this replica has not made it. Who does not understand that asks
     * again, and is left alone for a while. O(1).
     *
     * @return whether it was asked
     */
    boolean askForMap() {
        Held to;
        synchronized (this) {
            to = asking;
            Instant now = steady.instant();
            if (to == null || !isWaiting(to) || now.isBefore(nextMap) || !isUnknown(fabric.get(), to.attempt())) {
                return false;
            }
            watching.remove(to.pod().ordinal());
            asking = null;
            askedForMap = to;
            nextMap = now.plus(mapPause);
            mapPause = mapPause.multipliedBy(2);
            if (mapPause.compareTo(LAST_MAP_PAUSE) > 0) {
                mapPause = LAST_MAP_PAUSE;
            }
        }
        to.answer().complete(JobResponse.MAP_WANTED);
        return true;
    }

    /**
     * A pod tells the map that it was asked for, once. 205 where a newer attempt is wanted.
     *
     * @throws JobRefusedException where it was not asked, or is not believed
     */
    JobResponse mapTold(JobPodId pod, int attempt, Learning learning) throws JobRefusedException {
        JobResponse now = running(pod, attempt);
        if (now.equals(JobResponse.NEWER_ATTEMPT)) {
            return now;
        }
        FabricOfJob before = fabric.get();
        synchronized (this) {
            Held asked = askedForMap;
            if (asked == null || asked.attempt() != attempt || !asked.pod().equals(pod)) {
                throw JobRefusedException.of(409, "nobody has asked pod " + pod.name() + " for the map of its job");
            }
            askedForMap = null;
        }
        FabricOfJob learned = learning.learn();
        // Unless this replica has made the map of another attempt meanwhile.
        if (isUnknown(before, attempt) && fabric.compareAndSet(before, learned)) {
            LOG.infof("the fabric of attempt %d of %s/%s is known again", attempt, job().namespace(), job().name());
        }
        return JobResponse.NOTHING;
    }

    /**
     * Tells the job's first pod, if it waits and there is news of the fabric; new values twice at once, then at most once in {@link #UPDATE_PAUSE}. O(1) where there is
     * nothing to tell.
     */
    void tellFabric() {
        FabricOfJob known = fabric.get();
        Held to;
        synchronized (this) {
            to = asking;
            if (known == null
                    || to == null
                    || !isWaiting(to)
                    || steady.instant().isBefore(nextUpdate)) {
                return;
            }
        }
        JobFabricUpdate news = updateFor(to, known);
        if (news == null) {
            return;
        }
        synchronized (this) {
            if (!isWaiting(to)) {
                return;
            }
            watching.remove(to.pod().ordinal());
            asking = null;
            if (!(news instanceof JobFabricUpdate.Pending)) {
                Instant at = steady.instant();
                boolean soon = at.minus(UPDATE_PAUSE.multipliedBy(2)).isBefore(lastUpdate);
                nextUpdate = at.plus(soon ? UPDATE_PAUSE : SECOND_UPDATE_PAUSE);
                lastUpdate = at;
            }
        }
        to.answer().complete(JobResponse.binary(news.encoded()));
    }

    /** Tells the pod that asks whether somebody watches what the job sends, where that is another thing than the pods do. O(1). */
    void tellTrafficWanted() {
        Held to;
        synchronized (this) {
            to = askingTraffic;
            if (to == null) {
                return;
            }
        }
        boolean wanted = watched.getAsBoolean();
        synchronized (this) {
            if (!isWaiting(to) || to.live() == null || to.live() == wanted) {
                return;
            }
            watching.remove(to.pod().ordinal());
            askingTraffic = null;
        }
        to.answer().complete(JobResponse.binary(new JobFabricUpdate.TrafficWanted(wanted).encoded()));
    }

    /** A defect with one job's values must not keep others from theirs. */
    private @Nullable JobFabricUpdate updateFor(Held held, FabricOfJob known) {
        SeenFabric seen = held.seen();
        if (seen == null || !known.isTold(held.pod().name(), held.attempt())) {
            return null;
        }
        try {
            return known.updateAfter(seen);
        } catch (RuntimeException e) {
            LOG.errorf(e, "job %s/%s is not told of its fabric", job().namespace(), job().name());
            synchronized (this) {
                nextUpdate = steady.instant().plus(PAUSE_AFTER_DEFECT);
            }
            return null;
        }
    }

    @SuppressWarnings("ReferenceEquality") // the question itself, and not another one that is like it
    private boolean isWaiting(Held held) {
        return watching.get(held.pod().ordinal()) == held;
    }

    /**
     * The pod's launcher has ended. 205 where a newer attempt is wanted.
     *
     * @param words what it says of it, {@code null} for nothing
     */
    JobResponse ended(JobPodId pod, int attempt, int code, @Nullable String words) {
        return report(pod, attempt, () -> assembly.ended(pod, code, words));
    }

    /** Something went wrong in a pod that has not ended yet. 205 where a newer attempt is wanted. */
    JobResponse failed(JobPodId pod, int attempt, Assembly.FailureEvidence evidence, String words) {
        return report(pod, attempt, () -> assembly.failed(pod, evidence, words));
    }

    /** None of the pod's ranks, which are about to end, has called PMIx_Init. 205 where a newer attempt is wanted. */
    JobResponse unconnected(JobPodId pod, int attempt) {
        return report(pod, attempt, () -> assembly.unconnected(pod));
    }

    /**
     * By which protocol the pod's ranks have found the others. 205 where a newer attempt is wanted.
     *
     * @param counted is run where that was not known
     */
    JobResponse clients(JobPodId pod, int attempt, JobClients clients, Runnable counted) {
        return report(pod, attempt, () -> {
            if (assembly.clients(pod, clients)) {
                counted.run();
            }
        });
    }

    /** All is well. 205 where a newer attempt is wanted. */
    JobResponse running(JobPodId pod, int attempt) {
        return report(pod, attempt, () -> {});
    }

    /** What a pod says of another attempt than this one counts for nothing. */
    private JobResponse report(JobPodId pod, int attempt, Runnable event) {
        return step(due -> {
                    if (assembly.isOutdated(pod, attempt)) {
                        return CompletableFuture.completedFuture(JobResponse.NEWER_ATTEMPT);
                    }
                    event.run();
                    return CompletableFuture.completedFuture(JobResponse.NOTHING);
                })
                .join();
    }

    /** What the API server says of a pod, {@code after} being {@code null} for one that is no more. One that is being deleted may still end well. */
    void seen(JobPodId pod, PodFact.@Nullable Life after) {
        step(due -> {
            if (after == null) {
                assembly.deleted(pod);
            } else if (after.isOver()) {
                assembly.ended(pod, after == PodFact.Life.Succeeded ? 0 : 1, "its pod failed");
                assembly.gone(pod);
            } else if (after == PodFact.Life.Ending && assembly.phase() == JobPhase.Assembling) {
                assembly.gone(pod);
            }
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** What the preparer of a pod's host says. */
    void prepared(JobPodId pod, PodFact.HostPrepared preparation) {
        step(due -> {
            String failure = preparation.failure();
            if (failure == null) {
                assembly.hostPrepared(pod);
            } else {
                assembly.hostUnpreparable(pod, failure);
            }
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** See {@link Assembly#isOfAnother}. */
    synchronized boolean isOfAnother() {
        return assembly.isOfAnother();
    }

    /** See {@link Assembly#asksOwner}. */
    synchronized boolean asksOwner() {
        return assembly.asksOwner();
    }

    /** See {@link Assembly#over}. */
    void over(JobEnd end) {
        step(due -> {
            assembly.over(end);
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** Pods that wait for one another ask again at once: what is asked for may be another job by now. */
    void askAgain() {
        step(due -> {
            joining.values().forEach(held -> due.add(new Due(held.answer(), JobResponse.NOTHING)));
            joining.clear();
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** Ends what has waited for long enough, and the assembly when its time is over. */
    void expire() {
        step(due -> {
            Instant now = steady.instant();
            assembly.expire(now);
            expire(joining, now, due);
            expire(watching, now, due);
            waitingForNext.values().removeIf(held -> {
                boolean over = !now.isBefore(held.until());
                if (over) {
                    due.add(new Due(held.answer(), JobResponse.ATTEMPT_GOES_ON));
                }
                return over;
            });
            return CompletableFuture.completedFuture(JobResponse.NOTHING);
        });
    }

    /** Gives everybody who waits the same answer; whoever still comes is to ask again. */
    void close(JobResponse answer) {
        List<Due> due = new ArrayList<>();
        synchronized (this) {
            closed = true;
            joining.values().forEach(held -> due.add(new Due(held.answer(), answer)));
            watching.values().forEach(held -> due.add(new Due(held.answer(), answer)));
            waitingForNext.values().forEach(held -> due.add(new Due(held.answer(), answer)));
            joining.clear();
            watching.clear();
            waitingForNext.clear();
        }
        due.forEach(one -> one.future().complete(one.answer()));
        closing.run();
    }

    synchronized boolean isIdleSince(Instant then) {
        return joining.isEmpty() && watching.isEmpty() && waitingForNext.isEmpty() && touched.isBefore(then);
    }

    synchronized JobPhase phase() {
        return assembly.phase();
    }

    /** See {@link Assembly#isBetweenAttempts}. */
    synchronized boolean isBetweenAttempts(@Nullable JobPodId pod, PodReport report) {
        return assembly.isBetweenAttempts(pod, report);
    }

    /** As {@link #close} where the job goes on as another one, after the attempt that is returned; nothing changes in it any more. */
    Assembly.StoredAttempt closeForAnother() {
        close(JobResponse.NOTHING);
        synchronized (this) {
            return assembly.attempt();
        }
    }

    synchronized Progress progress() {
        return assembly.progress();
    }

    /** A change of the assembly under the lock; what follows from it for others is told outside of it. */
    private CompletableFuture<JobResponse> step(Change change) {
        List<Due> due = new ArrayList<>();
        CompletableFuture<JobResponse> mine;
        boolean news;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.completedFuture(JobResponse.NOTHING);
            }
            int before = assembly.version();
            mine = change.apply(due);
            news = assembly.version() != before;
            if (news) {
                touched = steady.instant();
            }
            if (assembly.epoch() != seenEpoch) {
                seenEpoch = assembly.epoch();
                settle(due);
            }
        }
        due.forEach(one -> one.future().complete(one.answer()));
        if (news) {
            changed.run();
        }
        return mine;
    }

    private interface Change {
        CompletableFuture<JobResponse> apply(List<Due> due);
    }

    private CompletableFuture<JobResponse> hold(
            Map<Integer, Held> where,
            JobPodId pod,
            int attempt,
            boolean inFull,
            @Nullable SeenFabric seen,
            @Nullable Boolean live,
            List<Due> due) {
        Instant now = steady.instant();
        touched = now;
        CompletableFuture<JobResponse> answer = new CompletableFuture<>();
        Held held = new Held(pod, attempt, inFull, seen, live, now.plus(hold), answer);
        Held before = where.put(pod.ordinal(), held);
        if (seen != null) {
            asking = held;
        }
        if (live != null) {
            askingTraffic = held;
        }
        if (before != null) {
            // The same pod asks again, or another one has taken its slot.
            boolean replaced = where == joining && !before.pod().uid().equals(pod.uid());
            due.add(new Due(
                    before.answer(),
                    replaced
                            ? answer(assembly.reply(before.pod()), before.pod(), before.inFull())
                            : JobResponse.NOTHING));
        }
        return answer;
    }

    private void settle(List<Due> due) {
        waitingForNext.values().forEach(held -> due.add(new Due(held.answer(), JobResponse.NOTHING)));
        waitingForNext.clear();
        for (Iterator<Held> i = joining.values().iterator(); i.hasNext(); ) {
            Held held = i.next();
            Reply reply = assembly.reply(held.pod());
            if (!(reply instanceof Reply.Wait)) {
                due.add(new Due(held.answer(), answer(reply, held.pod(), held.inFull())));
                i.remove();
            }
        }
        for (Iterator<Held> i = watching.values().iterator(); i.hasNext(); ) {
            Held held = i.next();
            if (assembly.isOutdated(held.pod(), held.attempt())) {
                due.add(new Due(held.answer(), JobResponse.NEWER_ATTEMPT));
                i.remove();
            }
        }
    }

    private static void expire(Map<Integer, Held> where, Instant now, List<Due> due) {
        where.values().removeIf(held -> {
            boolean over = !now.isBefore(held.until());
            if (over) {
                due.add(new Due(held.answer(), JobResponse.NOTHING));
            }
            return over;
        });
    }

    private JobResponse answer(Reply reply, JobPodId pod, boolean inFull) {
        return switch (reply) {
            case Reply.Wait wait -> JobResponse.NOTHING;
            case Reply.Whole whole -> {
                byte[] ticket = inFull ? null : tickets.get().of(pod.name());
                yield JobResponse.binary(ticket == null ? whole.map() : ticket);
            }
            case Reply.Refused refused -> JobResponse.text(409, refused.sentence());
            case Reply.TimedOut timedOut -> JobResponse.text(408, timedOut.sentence());
        };
    }
}
