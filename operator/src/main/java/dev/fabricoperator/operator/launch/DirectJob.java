/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.fabric.level.Channel;
import dev.fabricoperator.protocol.job.JobNames;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the owner of a job says of its direct launch. Read once per job, immutable; its size is bounded before anything is kept of it. */
public final class DirectJob {
    /** Most pods of one job: each keeps a connection to the replica that serves the job, and one replica holds 16,384 by default. */
    public static final int MAX_PODS = 16_000;
    /** Most apps of one job, which a FabricJob can list. */
    static final int MAX_APPS = 1024;

    private final String namespace;
    private final OwnerRef owner;
    private final List<App> apps;
    private final Duration assemblyTimeout;
    private final RankOrder rankOrder;
    private final int groupSize;
    private final List<String> fabrics;
    private final Map<Channel, String> levels;
    private final @Nullable String refusal;
    private final Advice advice;
    private final boolean needsNotAll;
    private final Map<String, Integer> numberOfApp = new HashMap<>();
    /** By PMIX_APPNUM, and behind the last app the number of pods. */
    private final int[] firstOrdinals;

    private final int ranks;

    /**
     * One PMIx app.
     *
     * @param jobs how many Jobs it has, 1 for a task of a Volcano Job
     * @param podsPerJob completions of each, or replicas of the task
     * @param firstIndex what the owner calls the first pod of each
     */
    public record App(String name, int jobs, int podsPerJob, int ranksPerPod, int firstIndex) {
        public App(String name, int jobs, int podsPerJob, int ranksPerPod) {
            this(name, jobs, podsPerJob, ranksPerPod, 0);
        }

        /** @throws ArithmeticException for an app that no job of a permitted size can have */
        public int pods() {
            return Math.multiplyExact(jobs, podsPerJob);
        }

        /** PMIX_APP_SIZE. */
        public int ranks() {
            return Math.multiplyExact(pods(), ranksPerPod);
        }
    }

    /**
     * What the authors of its pods are told when these are made.
     *
     * @param warnings what they should know
     * @param whereReadyAfterStart why a pod that is ready only when its ranks run cannot be started and what to change, {@code null} where it can
     * @param awaited apps that this holds for; empty for all
     * @param launcher what the template of an MPIJob's launcher says; {@code null} for any other job
     */
    public record Advice(
            List<String> warnings,
            @Nullable String whereReadyAfterStart,
            Set<String> awaited,
            @Nullable LauncherTemplate launcher) {
        public static final Advice NONE = new Advice(List.of(), null);

        public Advice {
            warnings = List.copyOf(warnings);
            awaited = Set.copyOf(awaited);
        }

        public Advice(List<String> warnings, @Nullable String whereReadyAfterStart) {
            this(warnings, whereReadyAfterStart, Set.of(), null);
        }

        /** Why this pod cannot be started, which is ready only when its ranks run; {@code null} where it can. */
        public @Nullable String whereReadyAfterStart(JsonNode pod) {
            JsonNode app = pod.at("/metadata/labels").path(JobSets.APP_LABEL);
            return awaited.isEmpty() || !app.isTextual() || awaited.contains(app.textValue())
                    ? whereReadyAfterStart
                    : null;
        }
    }

    /** Without advice. */
    public DirectJob(
            String namespace,
            OwnerRef owner,
            List<App> apps,
            Duration assemblyTimeout,
            RankOrder rankOrder,
            @Nullable String refusal) {
        this(namespace, owner, apps, assemblyTimeout, rankOrder, refusal, Advice.NONE, false);
    }

    /**
     * A job that is too large is one without apps, and is refused.
     *
     * @param apps those whose pods are launched directly, in the order of the owner's spec: position is PMIX_APPNUM
     * @param refusal why it cannot be launched and what to change, {@code null} where it can
     * @param needsNotAll whether its owner may be complete while ranks of other pods run
     */
    public DirectJob(
            String namespace,
            OwnerRef owner,
            List<App> apps,
            Duration assemblyTimeout,
            RankOrder rankOrder,
            @Nullable String refusal,
            Advice advice,
            boolean needsNotAll) {
        this(
                namespace,
                owner,
                apps,
                assemblyTimeout,
                rankOrder,
                LaunchRequest.DEFAULTS.groupSize(),
                LaunchRequest.DEFAULTS.fabrics(),
                LaunchRequest.DEFAULTS.levels(),
                refusal,
                advice,
                needsNotAll);
    }

    private DirectJob(
            String namespace,
            OwnerRef owner,
            List<App> apps,
            Duration assemblyTimeout,
            RankOrder rankOrder,
            int groupSize,
            List<String> fabrics,
            Map<Channel, String> levels,
            @Nullable String refusal,
            Advice advice,
            boolean needsNotAll) {
        String tooLarge = tooLarge(owner, apps);
        this.namespace = namespace;
        this.owner = owner;
        this.apps = tooLarge == null ? List.copyOf(apps) : List.of();
        this.assemblyTimeout = assemblyTimeout;
        this.rankOrder = rankOrder;
        this.groupSize = groupSize;
        this.fabrics = List.copyOf(fabrics);
        this.levels = levels;
        this.advice = tooLarge == null ? advice : Advice.NONE;
        this.needsNotAll = needsNotAll;
        this.refusal = tooLarge == null ? refusal : tooLarge;
        this.firstOrdinals = new int[this.apps.size() + 1];
        int allRanks = 0;
        for (int number = 0; number < this.apps.size(); number++) {
            App app = this.apps.get(number);
            numberOfApp.put(app.name(), number);
            firstOrdinals[number + 1] = Math.addExact(firstOrdinals[number], app.pods());
            allRanks = Math.addExact(allRanks, app.ranks());
        }
        this.ranks = allRanks;
    }

    /** The same with groups of ranks, in the Fabrics, and with the levels, that are asked for. */
    public DirectJob asking(LaunchRequest request) {
        return new DirectJob(
                namespace,
                owner,
                apps,
                assemblyTimeout,
                rankOrder,
                request.groupSize(),
                request.fabrics(),
                request.levels(),
                refusal,
                advice,
                needsNotAll);
    }

    private static @Nullable String tooLarge(OwnerRef owner, List<App> apps) {
        String name = owner.words();
        if (apps.size() > MAX_APPS) {
            return name + " has " + apps.size() + " templates that ask for a direct launch, more than " + MAX_APPS
                    + ": put more replicas into each";
        }
        long pods = 0;
        for (App app : apps) {
            if (app.jobs() < 0 || app.podsPerJob() < 0) {
                // JobSet takes such a template, and added to others it would make a large job look small.
                return name + ": " + app.name() + " has less than no pods: set replicas and completions to 1 or more";
            }
            // At most 2^62 for one app, so that only the sum could overflow.
            long more = (long) app.jobs() * app.podsPerJob();
            pods = more > Long.MAX_VALUE - pods ? Long.MAX_VALUE : pods + more;
        }
        return pods <= MAX_PODS
                ? null
                : name + " has " + pods + " pods, and a direct launch takes at most " + MAX_PODS
                        + ": make fewer of them, and start more ranks in each";
    }

    public String namespace() {
        return namespace;
    }

    public OwnerRef owner() {
        return owner;
    }

    public JobKey key() {
        return owner.jobKey(namespace);
    }

    public String name() {
        return owner.jobName();
    }

    /** In the order of PMIX_APPNUM. */
    public List<App> apps() {
        return apps;
    }

    public Duration assemblyTimeout() {
        return assemblyTimeout;
    }

    public RankOrder rankOrder() {
        return rankOrder;
    }

    /** Ranks that follow one another and are to be in one part of the fabric, 1 for none. */
    public int groupSize() {
        return groupSize;
    }

    /** Names of the Fabrics that it is to use, the default one first; empty for those that there are. */
    public List<String> fabrics() {
        return fabrics;
    }

    /** Names of the levels of service that its channels ask for. */
    public Map<Channel, String> levels() {
        return levels;
    }

    /** Why it cannot be launched and what to change, {@code null} where it can. */
    public @Nullable String refusal() {
        return refusal;
    }

    public Advice advice() {
        return advice;
    }

    /** Whether its owner may be complete while ranks of other pods run, so that a pod whose ranks are done must end by itself. */
    public boolean needsNotAll() {
        return needsNotAll;
    }

    /** Whether an attempt of the one is an attempt of the other: what both ask for is the same. */
    public boolean asksForTheSame(DirectJob other) {
        return apps.equals(other.apps)
                && assemblyTimeout.equals(other.assemblyTimeout)
                && rankOrder == other.rankOrder
                && groupSize == other.groupSize
                && fabrics.equals(other.fabrics)
                && levels.equals(other.levels)
                && Objects.equals(refusal, other.refusal);
    }

    /** At most {@link #MAX_PODS}. */
    public int pods() {
        return firstOrdinals[apps.size()];
    }

    /** PMIX_JOB_SIZE; of a job that mpirun runs: slots. */
    public int ranks() {
        return ranks;
    }

    /** Whether ranks run only when mpirun asks for them: in the pod with ordinal 0, which has none. */
    public boolean isRunByMpirun() {
        return !apps.isEmpty() && apps.getFirst().ranksPerPod() == 0;
    }

    /** Whether its pods run for ever: see {@link OwnerKind#isService}. */
    public boolean isService() {
        OwnerKind kind = OwnerKind.of(owner);
        return kind != null && kind.isService();
    }

    /** PMIX_APPNUM of a pod by its ordinal. O(log apps). */
    public int appOf(int ordinal) {
        if (ordinal < 0 || ordinal >= pods()) {
            throw new IllegalArgumentException("no pod has ordinal " + ordinal);
        }
        int found = Arrays.binarySearch(firstOrdinals, ordinal);
        // An app without pods begins where the next one does.
        while (found >= 0 && firstOrdinals[found + 1] == ordinal) {
            found++;
        }
        return found >= 0 ? found : -found - 2;
    }

    /** Position among the pods of the job in their order by app, Job and completion index; -1 for a slot that does not exist. O(1). */
    public int ordinal(PodSlot slot) {
        if (slot.app() == null) {
            return slot.jobIndex() == 0 && slot.podIndex() >= 0 && slot.podIndex() < pods() ? slot.podIndex() : -1;
        }
        Integer number = numberOfApp.get(slot.app());
        if (number == null) {
            return -1;
        }
        App app = apps.get(number);
        boolean exists = slot.jobIndex() >= 0
                && slot.jobIndex() < app.jobs()
                && slot.podIndex() >= 0
                && slot.podIndex() < app.podsPerJob();
        return exists ? firstOrdinals[number] + slot.jobIndex() * app.podsPerJob() + slot.podIndex() : -1;
    }

    /** Which of the Jobs of its app makes the pod of an ordinal. O(log apps). */
    int jobIndex(int ordinal) {
        int number = appOf(ordinal);
        return (ordinal - firstOrdinals[number]) / apps.get(number).podsPerJob();
    }

    /** How a person finds the pod of an ordinal: {@code index 3}, or {@code workers job 1 index 3}. */
    public String words(int ordinal) {
        int number = appOf(ordinal);
        App app = apps.get(number);
        int at = ordinal - firstOrdinals[number];
        String index = "index " + (app.firstIndex() + at % app.podsPerJob());
        String job = app.jobs() > 1 ? "job " + jobIndex(ordinal) + " " : "";
        return (apps.size() > 1 ? app.name() + " " : "") + job + index;
    }

    /** PMIX_NSPACE of an attempt. */
    public String nspace(int attempt) {
        return JobNames.nspace(namespace, name(), owner.uid(), attempt);
    }
}
