/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.JobFacts;
import dev.fabricoperator.pmix.job.PodReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one job on their way to an attempt, and the attempt until it ends. Soft state: all that cannot be said again by
 * the pods is the key of a map that some of them have, and then the answer is another attempt.
 *
 * <p>Not thread-safe, no clock, no I/O. {@link #epoch} grows whenever somebody who waits may get another answer.
 */
public final class Assembly {
    private static final int NAMED = 8;

    private final JobFacts facts;
    private final MapBuilder maker;
    /** By ordinal. */
    private final SortedMap<Integer, JobMember> seats = new TreeMap<>();

    private final int places;
    /** Pods whose place another one has taken; they never come back. */
    private final Set<String> displaced = new HashSet<>();

    private @Nullable Instant rememberedSince;
    private int attempt;
    private JobPhase phase;
    private @Nullable Instant since;
    private byte @Nullable [] map;
    private @Nullable String failure;
    /** What ended the attempt before this one. */
    private @Nullable String earlier;

    private boolean neverWhole;
    /** The highest attempt that some pod says it runs, and of which this replica knows nothing else. */
    private int heardOf = -1;

    private int epoch;
    private int version;

    /** Makes the encoded map of an attempt that has just become whole. */
    @FunctionalInterface
    public interface MapBuilder {
        /** @param pods by ordinal, all of them */
        byte[] map(int attempt, List<JoinedPod> pods);
    }

    public Assembly(JobFacts facts, @Nullable StoredAttempt stored, MapBuilder maker) {
        this.facts = facts;
        this.maker = maker;
        places = facts.pods();
        attempt = stored == null ? 0 : stored.attempt();
        phase = stored == null ? JobPhase.Assembling : stored.phase();
        rememberedSince = stored == null ? null : stored.waitingSince();
    }

    public JobFacts facts() {
        return facts;
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
     */
    public Reply join(JobPodId pod, PodReport report, Instant now) {
        String refusal = refusal(pod, report);
        if (refusal != null) {
            return new Reply.Refused(refusal);
        }
        JobMember seat = seats.get(pod.ordinal());
        boolean sameLauncher = seat != null
                && seat.report() != null
                && seat.pod().uid().equals(pod.uid())
                && Arrays.equals(seat.report().instance(), report.instance());
        if (phase == JobPhase.TimedOut && sameLauncher) {
            return reply(pod);
        }
        if (phase == JobPhase.Running && sameLauncher && map != null && report.after() < attempt) {
            return reply(pod);
        }
        if (phase != JobPhase.Assembling) {
            String completed = completedOther(pod);
            if (completed != null) {
                return new Reply.Refused(completed);
            }
            begin(attempt + 1);
        }
        take(pod, report, now);
        return reply(pod);
    }

    /** What a pod that has joined is told now. */
    public Reply reply(JobPodId pod) {
        if (!isSeated(pod)) {
            return new Reply.Refused(
                    displaced.contains(pod.uid()) ? takenBy(pod) : "pod " + pod.name() + " has not joined");
        }
        return switch (phase) {
            case TimedOut -> new Reply.TimedOut(missingWords());
            case Running -> map == null ? new Reply.Wait() : new Reply.Whole(attempt, map);
            case Assembling, Succeeded, Failed -> new Reply.Wait();
        };
    }

    /** Whether a pod that runs {@code running} shall end its ranks and join again. */
    public boolean isOutdated(JobPodId pod, int running) {
        if (displaced.contains(pod.uid()) || running < attempt) {
            return true;
        }
        boolean known = phase == JobPhase.Running && map != null;
        if (!known && (running > attempt || phase == JobPhase.Assembling)) {
            heardOf = Math.max(heardOf, running);
            if (phase == JobPhase.Assembling && joined() > 0) {
                // Others wait for an attempt that this pod was part of before this replica knew the job.
                attempt = heardOf + 1;
                version++;
                return true;
            }
            if (phase != JobPhase.TimedOut) {
                version++;
                attempt = running;
                phase = JobPhase.Running;
            }
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
        JobMember seat = seats.get(pod.ordinal());
        if (phase != JobPhase.Running || displaced.contains(pod.uid()) || (seat != null && !isSeated(pod))) {
            return;
        }
        if (seat != null && seat.exitCode() != null) {
            return;
        }
        version++;
        seats.put(pod.ordinal(), (seat == null ? new JobMember(pod, null, null) : seat).ended(code));
        if (code != 0) {
            failed(pod, words == null ? "ended with code " + code : words);
        }
        if (joined() == places && seats.values().stream().allMatch(s -> s.exitCode() != null)) {
            boolean good = seats.values().stream().allMatch(s -> Objects.equals(s.exitCode(), 0));
            phase = good ? JobPhase.Succeeded : JobPhase.Failed;
            changed();
        }
    }

    /** Something that went wrong in a pod that has not ended yet; the first thing stays. */
    public void failed(JobPodId pod, String words) {
        if (failure == null) {
            version++;
            failure = "pod " + pod.name() + ": " + words;
        }
    }

    /** A pod is no more, or is about to be: nobody waits with it. */
    public void gone(String podUid) {
        if (phase == JobPhase.Assembling
                && seats.values().removeIf(seat -> seat.pod().uid().equals(podUid))) {
            changed();
            since = joined() == 0 ? null : since;
        }
    }

    /** Whether all pods that waited have gone again: then only the owner can say whether others will come. */
    public boolean isAbandoned() {
        return phase == JobPhase.Assembling && joined() == 0;
    }

    /** No pod will come any more, as the owner says. */
    public void over(boolean well, String words) {
        if (isAbandoned()) {
            phase = well ? JobPhase.Succeeded : JobPhase.Failed;
            failure = well ? null : words + (earlier == null ? "" : "; attempt " + (attempt - 1) + ": " + earlier);
            neverWhole = !well;
            changed();
        }
    }

    /** Looks whether the pods have waited for too long. */
    public void expire(Instant now) {
        if (phase == JobPhase.Assembling
                && since != null
                && joined() > 0
                && !now.isBefore(since.plus(facts.assemblyTimeout()))) {
            phase = JobPhase.TimedOut;
            changed();
        }
    }

    public Progress progress() {
        List<Integer> missing = new ArrayList<>();
        Set<String> nodes = new HashSet<>();
        int pods = 0;
        int ranks = 0;
        boolean whole = phase != JobPhase.Assembling && phase != JobPhase.TimedOut && !neverWhole;
        for (int i = 0; i < places; i++) {
            JobMember seat = seats.get(i);
            if (seat != null) {
                nodes.add(seat.pod().nodeName());
            }
            if (seat != null || whole) {
                pods++;
                ranks += facts.apps().get(facts.appOf(i)).ranksPerPod();
            } else {
                missing.add(i);
            }
        }
        return new Progress(attempt, phase, pods, ranks, nodes.size(), missing, since, failure);
    }

    private @Nullable String refusal(JobPodId pod, PodReport report) {
        if (facts.refusal() != null) {
            return facts.refusal();
        }
        JobFacts.App app = facts.apps().get(facts.appOf(pod.ordinal()));
        if (report.ranks() != app.ranksPerPod()) {
            return "pod " + pod.name() + " reports " + report.ranks() + " ranks, and the template of " + app.name()
                    + " asks for " + app.ranksPerPod();
        }
        JobMember seat = seats.get(pod.ordinal());
        boolean later = seat == null
                || seat.pod().uid().equals(pod.uid())
                || !pod.createdAt().isBefore(seat.pod().createdAt());
        return displaced.contains(pod.uid()) || !later ? takenBy(pod) : null;
    }

    private String takenBy(JobPodId pod) {
        JobMember seat = seats.get(pod.ordinal());
        return facts.words(pod.ordinal()) + " is taken by the later pod "
                + (seat == null ? "" : seat.pod().name()) + ": pod " + pod.name() + " has no place in the job";
    }

    private boolean isSeated(JobPodId pod) {
        JobMember seat = seats.get(pod.ordinal());
        return seat != null && seat.pod().uid().equals(pod.uid());
    }

    /** A pod that ended well does not come back, so that no attempt after it can become whole. */
    private @Nullable String completedOther(JobPodId pod) {
        for (JobMember seat : seats.values()) {
            boolean well = Objects.equals(seat.exitCode(), 0);
            if (well && seat.pod().ordinal() != pod.ordinal()) {
                return facts.words(seat.pod().ordinal()) + " has already completed (pod "
                        + seat.pod().name() + "), so that the job cannot be whole again";
            }
        }
        return phase == JobPhase.Succeeded ? "the job has completed" : null;
    }

    private void begin(int number) {
        attempt = number;
        phase = JobPhase.Assembling;
        seats.clear();
        since = null;
        rememberedSince = null;
        map = null;
        earlier = failure;
        failure = null;
        neverWhole = false;
        changed();
    }

    private void take(JobPodId pod, PodReport report, Instant now) {
        attempt = Math.max(attempt, Math.max(report.after(), heardOf) + 1);
        JobMember before = seats.get(pod.ordinal());
        if (before != null && !before.pod().uid().equals(pod.uid())) {
            displaced.add(before.pod().uid());
            changed();
        }
        if (since == null) {
            boolean waitedBefore = rememberedSince != null && !pod.createdAt().isAfter(rememberedSince);
            since = waitedBefore ? rememberedSince : now;
        }
        version++;
        seats.put(pod.ordinal(), new JobMember(pod, report, null));
        if (joined() == places) {
            List<JoinedPod> pods = new ArrayList<>(places);
            for (JobMember seat : seats.values()) {
                pods.add(new JoinedPod(seat.pod(), Objects.requireNonNull(seat.report())));
            }
            map = maker.map(attempt, pods);
            phase = JobPhase.Running;
            changed();
        }
    }

    private void changed() {
        epoch++;
        version++;
    }

    private int joined() {
        return seats.size();
    }

    private String missingWords() {
        List<Integer> missing = progress().missing();
        List<String> named = missing.stream().limit(NAMED).map(facts::words).toList();
        String more = missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "";
        return "the job did not become whole within " + facts.assemblyTimeout().toSeconds() + " s: " + missing.size()
                + " of " + places + " pods have not come: " + String.join(", ", named) + more;
    }
}
