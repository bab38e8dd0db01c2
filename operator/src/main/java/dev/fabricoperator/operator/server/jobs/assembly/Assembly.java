/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.protocol.job.JobLimits;
import dev.fabricoperator.protocol.job.PodReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one job on their way to an attempt, and the attempt until it ends. Soft state: all that cannot be said again by
 * the pods is the key of a map that some of them have, and then the answer is another attempt.
 *
 * <p>Not thread-safe, no clock, no I/O. {@link #epoch} grows whenever many of those who wait may get another answer. Each call
 * costs O(1) in the pods of the job, except for the one that makes the job whole, the one that begins another attempt, and
 * {@link #progress}.
 */
public final class Assembly {
    private static final Duration HOSTS_PAUSE = Duration.ofSeconds(5);

    private final DirectJob job;
    private final HostsToPrepare hosts;
    private final MapBuilder maker;
    /** By ordinal. */
    private final Map<Integer, Member> members;
    /** Ordinals of the members. */
    private final BitSet present = new BitSet();
    /** Members on each node. */
    private final Map<String, Integer> nodes = new HashMap<>();
    /** Of pods that run an attempt whose map another replica has made: they are no members here. */
    private final Set<String> heardFrom = new HashSet<>();
    /** Members that ended well and still exist, by UID. */
    private final Map<String, JobPodId> completed = new LinkedHashMap<>();

    /** Ordinals of members that all of the job wait for because their hosts are not prepared. */
    private final BitSet unprepared = new BitSet();

    /** Ordinals of the pods that have said that none of their ranks has called PMIx_Init. */
    private final BitSet unconnected = new BitSet();

    /** Ordinals of the pods whose ranks are in {@code clients}. */
    private final BitSet clientsTold = new BitSet();

    private @Nullable JobClients clients;

    private Instant hostsAsked = Instant.MIN;
    /** Pods whose hosts are prepared, by UID. */
    private final Set<String> prepared = new HashSet<>();
    /** Why the host of a pod cannot be prepared, by the pod's UID. */
    private final Map<String, String> unpreparable = new HashMap<>();

    private int joinedRanks;
    private int exited;
    private int failedExits;
    /** Members that are gone and have not said how they ended. */
    private int lost;

    /** Pods whose slot another one has taken, while they exist. */
    private final Set<String> displaced = new HashSet<>();

    private @Nullable Instant storedSince;
    private int attempt;
    private JobPhase phase;
    private @Nullable Assembling assembling;
    private byte @Nullable [] map;
    private @Nullable String failure;
    private FailureEvidence failureEvidence = FailureEvidence.PodEnded;
    /** What ended the attempt before this one. */
    private @Nullable String earlier;

    private Reply.@Nullable TimedOut timedOut;
    private boolean neverWhole;
    /** Whether its owner has said why the job has failed. */
    private boolean explained;
    /** The highest attempt that some pod says it runs, and of which this replica knows nothing else. */
    private int heardOf = -1;

    /** By this replica. */
    private int mapsMade;

    private int epoch;
    private int version;

    /**
     * What a failure is known by, the least telling first. Which pod's words come first is chance, and Open MPI aborts, too, where it has lost a peer, before that peer's end is
     * seen.
     */
    public enum FailureEvidence {
        PodEnded,
        RankAborted,
        RankExited,
        RankKilled
    }

    /**
     * For the pods that have not come.
     *
     * @param since by the calendar
     * @param until by the clock of {@link #expire}
     */
    private record Assembling(Instant since, Instant until) {}

    /** Says whose hosts must be prepared before ranks start. */
    @FunctionalInterface
    public interface HostsToPrepare {
        HostsToPrepare NONE = pods -> new BitSet();

        /**
         * Ordinals of the pods that wait for their hosts.
         *
         * @param pods by ordinal, all of them
         */
        BitSet of(List<JoinedPod> pods);
    }

    /** Makes the encoded map of an attempt that has just become whole. */
    @FunctionalInterface
    public interface MapBuilder {
        /** @param pods by ordinal, all of them */
        byte[] map(int attempt, List<JoinedPod> pods);
    }

    /**
     * What is known of a job from before: what another replica, or this one before it was restarted, wrote of it, or its assembly before its size was changed.
     *
     * @param waitingSince of an attempt that was assembling
     */
    public record StoredAttempt(
            int attempt, JobPhase phase, @Nullable Instant waitingSince) {}

    /** A pod that waits for, or is part of, an attempt, with what it told of itself. */
    public record JoinedPod(JobPodId pod, PodReport report) {}

    /**
     * A pod in an attempt.
     *
     * @param report {@code null} for a pod of which only events were heard, after a restart of the replica
     * @param exitCode of its launcher, {@code null} while it runs
     * @param lost whether it is gone without an exit code
     */
    record Member(
            JobPodId pod,
            @Nullable PodReport report,
            @Nullable Integer exitCode,
            boolean lost) {}

    public Assembly(DirectJob job, @Nullable StoredAttempt stored, HostsToPrepare hosts, MapBuilder maker) {
        this(job, stored, hosts, maker, new HashMap<>());
    }

    Assembly(
            DirectJob job,
            @Nullable StoredAttempt stored,
            HostsToPrepare hosts,
            MapBuilder maker,
            Map<Integer, Member> members) {
        this.job = job;
        this.hosts = hosts;
        this.maker = maker;
        this.members = members;
        attempt = stored == null ? 0 : stored.attempt();
        phase = stored == null ? JobPhase.Assembling : stored.phase();
        storedSince = stored == null ? null : stored.waitingSince();
    }

    public DirectJob job() {
        return job;
    }

    public JobPhase phase() {
        return phase;
    }

    /** For the assembly that takes this one's place. */
    public StoredAttempt attempt() {
        if (phase == JobPhase.Running && isAbandoned() && !job.isRunByMpirun()) {
            return new StoredAttempt(Math.max(attempt, heardOf) + 1, JobPhase.Assembling, null);
        }
        return new StoredAttempt(
                Math.max(attempt, heardOf), phase, phase == JobPhase.Assembling ? waitingSince() : null);
    }

    public int epoch() {
        return epoch;
    }

    /** Grows whenever {@link #progress} may be another than before. */
    public int version() {
        return version;
    }

    /**
     * A pod wants to be part of the attempt after {@code report.after()}; one that says the same again changes nothing.
     *
     * @param now by the clock of {@link #expire}
     * @param time by the calendar, as the FabricJob shows it
     */
    public Reply join(JobPodId pod, PodReport report, Instant now, Instant time) {
        String refusal = placeRefusal(pod, report);
        if (refusal == null) {
            refusal = RunRanks.refusal(job, report);
        }
        if (refusal != null) {
            return new Reply.Refused(refusal);
        }
        if (isAskedAgain(pod, report)) {
            return reply(pod);
        }
        if (phase != JobPhase.Assembling) {
            String other = job.isRunByMpirun() ? endedWithItsOwner() : completedOther(pod);
            if (other != null) {
                return new Reply.Refused(other);
            }
            begin(attempt + 1);
        }
        take(pod, report, now, time);
        return reply(pod);
    }

    /**
     * Whether the owner may ask for another size by now, which the attempt may still have: the join is not that of a pod in an attempt that others are in, or
     * that of a pod more while no rank has been started yet.
     *
     * @param pod {@code null} for one that the job as it is known has no slot for
     */
    public boolean isBetweenAttempts(@Nullable JobPodId pod, PodReport report) {
        return switch (phase) {
            case Assembling -> job.isService() || job.isRunByMpirun() || members.isEmpty() || pod == null;
            case Running ->
                pod == null
                        ? job.isService() || (isAbandoned() && !isLauncherUnknown())
                        : beginsAnotherAttempt(pod, report);
            case TimedOut -> pod == null || !isAskedAgain(pod, report);
            case Failed -> !job.isRunByMpirun();
            case Succeeded -> false;
        };
    }

    private boolean beginsAnotherAttempt(JobPodId pod, PodReport report) {
        return !isAskedAgain(pod, report)
                && placeRefusal(pod, report) == null
                && (job.isRunByMpirun() || completedOther(pod) == null);
    }

    /** After a restart of the replica nobody knows whether a run goes on that its launcher has asked for. */
    private boolean isLauncherUnknown() {
        return job.isRunByMpirun() && members.get(0) == null;
    }

    /** Whether the launcher of the pod asks again for what it has been answered. */
    private boolean isAskedAgain(JobPodId pod, PodReport report) {
        Member member = members.get(pod.ordinal());
        boolean sameLauncher = member != null
                && member.report() != null
                && member.pod().uid().equals(pod.uid())
                && Arrays.equals(member.report().instance(), report.instance());
        return sameLauncher
                && (phase == JobPhase.TimedOut
                        || (phase == JobPhase.Running && map != null && report.after() < attempt));
    }

    /** What a pod that has joined is told now. */
    public Reply reply(JobPodId pod) {
        Reply.TimedOut late = timedOut;
        if (late != null && isRunAskedFor(pod) && !isMember(pod)) {
            return late;
        }
        String noHost = unpreparable.get(pod.uid());
        if (noHost != null && !isMember(pod)) {
            return new Reply.Refused(unpreparable(pod, noHost));
        }
        if (!isMember(pod)) {
            return new Reply.Refused(
                    displaced.contains(pod.uid()) ? takenBy(pod) : "pod " + pod.name() + " has not joined");
        }
        return switch (phase) {
            case TimedOut -> timedOut();
            case Running -> map == null ? new Reply.Wait() : new Reply.Whole(attempt, map);
            case Failed -> neverWhole && failure != null ? new Reply.Refused(failure) : new Reply.Wait();
            case Assembling, Succeeded -> new Reply.Wait();
        };
    }

    /**
     * Whether a pod that runs {@code running} shall end its ranks and join again. A replica that has not made the map of that
     * attempt learns of it here, and only from pods whose slot no other has.
     */
    public boolean isOutdated(JobPodId pod, int running) {
        if (!mayReport(pod) || running < attempt) {
            return true;
        }
        if (mapsMade > 0) {
            // No attempt after one of this replica's own is another's; whoever believes so joins again.
            return phase == JobPhase.Assembling;
        }
        if (running > attempt || phase == JobPhase.Assembling) {
            Member member = members.get(pod.ordinal());
            if (member != null
                    && member.report() != null
                    && running > member.report().after()) {
                // It waits here for the attempt after another one than it says it runs.
                return true;
            }
            heardOf = Math.max(heardOf, running);
            if (phase == JobPhase.Assembling && !members.isEmpty()) {
                // Others wait for an attempt that this pod was part of before this replica knew the job.
                attempt = heardOf + 1;
                version++;
                return true;
            }
            if (phase != JobPhase.TimedOut) {
                version++;
                attempt = running;
                phase = JobPhase.Running;
                heardFrom.clear();
                forgetClients();
            }
        }
        if (phase == JobPhase.Running && heardFrom.add(pod.nodeName())) {
            version++;
        }
        return false;
    }

    /**
     * A pod's launcher has ended.
     *
     * @param code 0 for a pod whose ranks all ended well
     * @param words what it said of it, {@code null} for nothing
     */
    public void ended(JobPodId pod, int code, @Nullable String words) {
        Member member = members.get(pod.ordinal());
        if (phase != JobPhase.Running || !mayReport(pod) || (member != null && member.exitCode() != null)) {
            return;
        }
        if (job.isRunByMpirun()) {
            // The others wait for the next run.
            if (code != 0) {
                failed(pod, FailureEvidence.PodEnded, words == null ? "the run ended with code " + code : words);
            }
            return;
        }
        version++;
        put(new Member(pod, member == null ? null : member.report(), code, false));
        if (code != 0) {
            failed(pod, FailureEvidence.PodEnded, words == null ? "ended with code " + code : words);
        }
        if (exited == job.pods()) {
            phase = failedExits == 0 ? JobPhase.Succeeded : JobPhase.Failed;
            changed();
        }
    }

    /** Something that went wrong in a pod; the most telling stays, of equals the first. */
    public void failed(JobPodId pod, FailureEvidence evidence, String words) {
        boolean tellsMore = failure == null || evidence.compareTo(failureEvidence) > 0;
        if (tellsMore && phase == JobPhase.Running && mayReport(pod)) {
            version++;
            failureEvidence = evidence;
            failure = "pod " + pod.name() + ": " + words;
        }
    }

    /** The ranks of a pod are about to end, and none of them has called PMIx_Init. */
    public void unconnected(JobPodId pod) {
        if (phase == JobPhase.Running && mayReport(pod)) {
            unconnected.set(pod.ordinal());
        }
    }

    /**
     * By which protocol a pod's ranks have found the others; what it says first counts.
     *
     * @return whether it was not known, and can be
     */
    public boolean clients(JobPodId pod, JobClients ofPod) {
        if (phase != JobPhase.Running || !mayReport(pod) || clientsTold.get(pod.ordinal())) {
            return false;
        }
        int most = job.isRunByMpirun() ? JobLimits.RANKS_PER_POD : appOf(pod).ranksPerPod();
        if (ofPod.ranks() == 0 || ofPod.ranks() > most) {
            return false;
        }
        clientsTold.set(pod.ordinal());
        clients = clients == null ? ofPod : clients.plus(ofPod);
        version++;
        return true;
    }

    private void forgetClients() {
        unconnected.clear();
        clientsTold.clear();
        clients = null;
    }

    /** The host of a pod is prepared. O(1), but for the last one that the job waits for. */
    public void hostPrepared(JobPodId pod) {
        prepared.add(pod.uid());
        unpreparable.remove(pod.uid());
        if (phase == JobPhase.Assembling && isMember(pod) && unprepared.get(pod.ordinal())) {
            version++;
            unprepared.clear(pod.ordinal());
            if (unprepared.isEmpty()) {
                beginIfWhole();
            }
        }
    }

    /** The host of a pod cannot be prepared: the pod ends, and whoever made it may make another. */
    public void hostUnpreparable(JobPodId pod, String words) {
        prepared.remove(pod.uid());
        unpreparable.put(pod.uid(), words);
        if (phase == JobPhase.Assembling && isMember(pod)) {
            gone(pod);
            changed();
        }
    }

    /** A pod is no more, or is about to be: nobody waits with it. */
    public void gone(JobPodId pod) {
        Member member = members.get(pod.ordinal());
        if (member == null || !member.pod().uid().equals(pod.uid())) {
            return;
        }
        if (phase == JobPhase.Assembling) {
            remove(pod.ordinal());
            unprepared.clear();
            version++;
            assembling = members.isEmpty() || isRunAskedFor(pod) ? null : assembling;
        } else if (phase == JobPhase.Running && member.exitCode() == null && !member.lost()) {
            version++;
            put(new Member(member.pod(), member.report(), null, true));
        }
    }

    /**
     * There is no such pod any more. One that had completed was deleted together with the others, where their owner makes them all again; a Job
     * counts its index as done for ever, whoever has cleared the pod away.
     */
    public void deleted(JobPodId pod) {
        gone(pod);
        displaced.remove(pod.uid());
        prepared.remove(pod.uid());
        unpreparable.remove(pod.uid());
        OwnerKind kind = OwnerKind.of(job.owner());
        if (kind == null || kind.makesCompletedPodsAgain()) {
            completed.remove(pod.uid());
        }
    }

    /** Whether no pod is left that could say how the attempt goes on: then only the owner can. */
    public boolean isAbandoned() {
        if (job.isRunByMpirun() && (phase == JobPhase.Assembling || phase == JobPhase.Running)) {
            Member launcher = members.get(0);
            return launcher == null || launcher.lost();
        }
        return switch (phase) {
            case Assembling -> members.isEmpty();
            // Of a service that has no pods any more nobody may be known who could be lost.
            case Running -> (lost > 0 || job.pods() == 0) && exited + lost == job.pods();
            case Succeeded, Failed, TimedOut -> false;
        };
    }

    /**
     * Whether the owner may know more than the pods: how the attempt goes on, that a pod which others wait for does not come, or why all have failed. Of an attempt whose map another
     * replica has made, pods may have ended that nobody here has heard of.
     */
    public boolean asksOwner() {
        boolean waits = phase == JobPhase.Assembling && members.size() < job.pods();
        return isAbandoned()
                || isOfAnother()
                || (waits && !members.isEmpty() && !job.isService() && !job.isRunByMpirun())
                || (phase == JobPhase.Failed && !explained && !job.isRunByMpirun());
    }

    /** Whether it goes on, by all that this replica knows, with a map that another replica has made: a replica that takes over has many such jobs at once. */
    public boolean isOfAnother() {
        return phase == JobPhase.Running && mapsMade == 0 && !isAbandoned();
    }

    /** What {@link #asksOwner} was answered: no pod, or not every one, will come any more. */
    public void over(JobEnd end) {
        if (!asksOwner()) {
            return;
        }
        if (phase != JobPhase.Failed) {
            neverWhole = !end.well() && phase == JobPhase.Assembling;
            failure = end.well() ? null : failureOf(end);
            phase = end.well() ? JobPhase.Succeeded : JobPhase.Failed;
            changed();
        } else if (end.well()) {
            // It needed not all of its pods, and has ended the others.
            phase = JobPhase.Succeeded;
            failure = null;
            changed();
        } else if (end.late()) {
            failure = end.words() + (failure == null ? "" : "; " + failure);
            changed();
        }
        explained = true;
    }

    private String failureOf(JobEnd end) {
        String before = earlier;
        if (phase != JobPhase.Assembling || before == null) {
            return end.words() + (failure == null ? "" : "; " + failure);
        }
        // Pods that are made again and again are told the same again and again.
        return before.startsWith(end.words()) ? before : end.words() + "; attempt " + (attempt - 1) + ": " + before;
    }

    /**
     * Looks whether the pods have waited for too long, and once in {@link #HOSTS_PAUSE} whether those whose hosts are not prepared still have to: a Fabric may ask
     * for it no longer.
     *
     * @param now by a {@link SteadyClock}
     */
    public void expire(Instant now) {
        if (phase == JobPhase.Assembling && !unprepared.isEmpty() && !now.isBefore(hostsAsked.plus(HOSTS_PAUSE))) {
            hostsAsked = now;
            int waiting = unprepared.cardinality();
            unprepared.clear();
            beginIfWhole();
            version += unprepared.cardinality() == waiting ? 0 : 1;
        }
        if (phase == JobPhase.Assembling
                && assembling != null
                && !members.isEmpty()
                && !now.isBefore(assembling.until())) {
            if (job.isRunByMpirun()) {
                timedOut = timedOutReply();
                remove(0);
                assembling = null;
            } else {
                phase = JobPhase.TimedOut;
                timedOut = null;
            }
            changed();
        }
    }

    /** O(pods of the job / 64). */
    public Progress progress() {
        boolean whole = phase != JobPhase.Assembling && phase != JobPhase.TimedOut && !neverWhole;
        List<Integer> missing = new ArrayList<>();
        if (!whole) {
            for (int next = present.nextClearBit(0);
                    next < job.pods() && missing.size() < Progress.MAX_MISSING;
                    next = present.nextClearBit(next + 1)) {
                missing.add(next);
            }
        }
        Set<String> seenNodes = new HashSet<>(nodes.keySet());
        seenNodes.addAll(heardFrom);
        List<Integer> waiting =
                unprepared.stream().limit(Progress.MAX_MISSING).boxed().toList();
        return new Progress(
                attempt,
                phase,
                whole ? job.pods() : members.size(),
                whole ? job.ranks() : joinedRanks,
                seenNodes.size(),
                missing,
                whole ? 0 : job.pods() - members.size(),
                waiting,
                unprepared.cardinality(),
                waitingSince(),
                failure,
                (phase == JobPhase.Succeeded || phase == JobPhase.Failed) && unconnected.cardinality() == job.pods(),
                clients);
    }

    /** But for a run that is too large. */
    private @Nullable String placeRefusal(JobPodId pod, PodReport report) {
        if (job.refusal() != null) {
            return job.refusal();
        }
        DirectJob.App app = appOf(pod);
        if (report.ranks() != app.ranksPerPod()) {
            return "pod " + pod.name() + " reports " + report.ranks() + " ranks, and the template of " + app.name()
                    + " asks for " + app.ranksPerPod();
        }
        String noHost = unpreparable.get(pod.uid());
        if (noHost != null) {
            return unpreparable(pod, noHost);
        }
        Member member = members.get(pod.ordinal());
        boolean later = member == null
                || member.pod().uid().equals(pod.uid())
                || !pod.createdAt().isBefore(member.pod().createdAt());
        return displaced.contains(pod.uid()) || !later ? takenBy(pod) : null;
    }

    private static String unpreparable(JobPodId pod, String words) {
        return "node " + pod.nodeName() + " cannot be prepared for pod " + pod.name() + ": " + words;
    }

    private DirectJob.App appOf(JobPodId pod) {
        return job.apps().get(job.appOf(pod.ordinal()));
    }

    private String takenBy(JobPodId pod) {
        Member member = members.get(pod.ordinal());
        return job.words(pod.ordinal()) + " is taken by the later pod "
                + (member == null ? "" : member.pod().name()) + ": pod " + pod.name() + " has no place in the job";
    }

    private boolean isMember(JobPodId pod) {
        Member member = members.get(pod.ordinal());
        return member != null && member.pod().uid().equals(pod.uid());
    }

    /** A member may, and a pod whose slot nobody has, since a replica that was restarted knows of no member at first. */
    private boolean mayReport(JobPodId pod) {
        Member member = members.get(pod.ordinal());
        return !displaced.contains(pod.uid())
                && (member == null || member.pod().uid().equals(pod.uid()));
    }

    /** Of a job that mpirun runs: only it can wait for too long, and its workers wait on. */
    private boolean isRunAskedFor(JobPodId pod) {
        return job.isRunByMpirun() && pod.ordinal() == 0;
    }

    private @Nullable String endedWithItsOwner() {
        return phase == JobPhase.Running ? null : job.owner().words() + " has ended";
    }

    /** A pod that ended well does not come back, so that no attempt after it can become whole; but for one of a service. */
    private @Nullable String completedOther(JobPodId pod) {
        if (job.isService()) {
            return null;
        }
        for (JobPodId other : completed.values()) {
            if (other.ordinal() != pod.ordinal()) {
                return job.words(other.ordinal()) + " has already completed (pod " + other.name()
                        + "), so that the job cannot be whole again";
            }
        }
        return phase == JobPhase.Succeeded ? "the job has completed" : null;
    }

    private void begin(int number) {
        attempt = number;
        phase = JobPhase.Assembling;
        members.clear();
        present.clear();
        unprepared.clear();
        forgetClients();
        nodes.clear();
        heardFrom.clear();
        completed.clear();
        joinedRanks = 0;
        exited = 0;
        failedExits = 0;
        lost = 0;
        assembling = null;
        storedSince = null;
        map = null;
        timedOut = null;
        earlier = failure;
        failure = null;
        neverWhole = false;
        explained = false;
        changed();
    }

    private void take(JobPodId pod, PodReport report, Instant now, Instant time) {
        attempt = Math.max(attempt, Math.max(report.after(), heardOf) + 1);
        Member before = members.get(pod.ordinal());
        if (before != null && !before.pod().uid().equals(pod.uid())) {
            displaced.add(before.pod().uid());
            unprepared.clear();
        }
        if (isRunAskedFor(pod)) {
            assembling = new Assembling(time, now.plus(job.assemblyTimeout()));
            timedOut = null;
        } else if (assembling == null && !job.isRunByMpirun()) {
            // The object's author may be another one, and nobody has waited since a time that is to come.
            Instant since = storedSince != null
                            && !storedSince.isAfter(time)
                            && !pod.createdAt().isAfter(storedSince)
                    ? storedSince
                    : time;
            Duration left = job.assemblyTimeout().minus(Duration.between(since, time));
            assembling = new Assembling(since, left.isNegative() ? now : now.plus(left));
        }
        version++;
        put(new Member(pod, report, null, false));
        // Pods that wait ask again and again.
        if (unprepared.isEmpty()) {
            beginIfWhole();
        }
    }

    private @Nullable Instant waitingSince() {
        return assembling == null ? null : assembling.since();
    }

    private void beginIfWhole() {
        if (members.size() < job.pods()) {
            return;
        }
        List<JoinedPod> pods = new ArrayList<>(job.pods());
        for (int i = 0; i < job.pods(); i++) {
            Member member = Objects.requireNonNull(members.get(i));
            pods.add(new JoinedPod(member.pod(), Objects.requireNonNull(member.report())));
        }
        BitSet toPrepare = hosts.of(pods);
        for (int i = toPrepare.nextSetBit(0); i >= 0; i = toPrepare.nextSetBit(i + 1)) {
            unprepared.set(i, !prepared.contains(pods.get(i).pod().uid()));
        }
        if (unprepared.isEmpty()) {
            map = maker.map(attempt, pods);
            mapsMade++;
            phase = JobPhase.Running;
            changed();
        }
    }

    /** In place of whoever has the slot. */
    private void put(Member member) {
        remove(member.pod().ordinal());
        members.put(member.pod().ordinal(), member);
        count(member, 1);
    }

    private void remove(int ordinal) {
        Member before = members.remove(ordinal);
        if (before != null) {
            count(before, -1);
        }
    }

    private void count(Member member, int more) {
        present.set(member.pod().ordinal(), more > 0);
        joinedRanks += more * appOf(member.pod()).ranksPerPod();
        nodes.merge(member.pod().nodeName(), more, (one, other) -> one + other == 0 ? null : one + other);
        lost += member.lost() ? more : 0;
        if (member.exitCode() != null) {
            exited += more;
            failedExits += member.exitCode() == 0 ? 0 : more;
            if (more > 0 && member.exitCode() == 0) {
                completed.put(member.pod().uid(), member.pod());
            }
        }
    }

    private void changed() {
        epoch++;
        version++;
    }

    private Reply.TimedOut timedOut() {
        Reply.TimedOut reply = timedOut;
        if (reply == null) {
            reply = timedOutReply();
            timedOut = reply;
        }
        return reply;
    }

    private Reply.TimedOut timedOutReply() {
        return new Reply.TimedOut("the job did not become whole within "
                + job.assemblyTimeout().toSeconds() + " s: " + progress().missingWords(job));
    }
}
