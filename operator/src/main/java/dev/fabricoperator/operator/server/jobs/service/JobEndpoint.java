/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.launch.PodSlot;
import dev.fabricoperator.operator.server.http.FairTurns;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.FailureEvidence;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.traffic.TrafficOfJobs;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobLimits;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReportCodec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What pods may ask: to join, whether a newer attempt is wanted, and to tell what happened, and what they were told. */
final class JobEndpoint {
    static final String JOIN = "/v1/join";
    static final String EVENT = "/v1/event";
    static final String WATCH = "/v1/watch";
    static final String HOSTS = "/v1/hosts";
    static final String MAP = "/v1/map";
    static final String TRAFFIC = "/v1/traffic";

    private static final int MOST_ATTEMPTS = 1_000_000;
    /**
     * Requests that are worked for, each of which may wait for the API server, and those that wait for their turn: all pods of the largest job, and as many of others.
     * Pods whose answer is held back do not count.
     */
    static final FairTurns.Limits TURNS = new FairTurns.Limits(1024, 512, 2 * DirectJob.MAX_PODS, DirectJob.MAX_PODS);
    /** Of those that wait, in a second: a guess for who is to come later, lower than what two processors do. */
    private static final int SERVED_PER_SECOND = 500;

    /** Between two reports of what a job has sent that nobody watches: its first pod has one to tell at the end of an attempt. */
    static final Duration TRAFFIC_PAUSE = Duration.ofSeconds(5);
    /** The same where somebody watches: it has one each second. */
    static final Duration WATCHED_TRAFFIC_PAUSE = Duration.ofMillis(500);

    private static final int LONGEST_EVENT = 1024;
    private static final Pattern EXITED = Pattern.compile("exited (\\d{1,9}) (-?\\d{1,9}) (\\d{1,3})");
    private static final Pattern FINISHED = Pattern.compile("finished (-?\\d{1,9})(?: (.*))?", Pattern.DOTALL);
    /** What a program says of itself goes into conditions and Events, which are lines. */
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    private static final Pattern ABORT = Pattern.compile("abort (\\d{1,9}) (-?\\d{1,9}) ?(.*)", Pattern.DOTALL);

    /** Of PMIx, of PMI-1, of neither. */
    private static final Pattern CLIENTS = Pattern.compile("clients (\\d{1,4}) (\\d{1,4}) (\\d{1,4})");

    private final FairTurns turns;
    private final DirectPods pods;
    private final JobRegistry registry;
    private final Replicas replicas;
    private final SshHosts sshHosts;
    private final HeldMaps heldMaps;
    private final TrafficTold trafficTold;
    private final TrafficOfJobs traffic;
    private final Copies copies;
    private final MeterRegistry meters;

    /**
     * @param attempt that the pod runs, -1 where it does not say
     * @param inFull whether the pod wants the map itself
     * @param reads highest version of the job's map that it reads
     * @param seen what it knows of its job's fabric, {@code null} where it is not to be told more
     * @param live whether its job's pods tell what they send once a second, {@code null} where it is not to be told whether somebody watches
     * @param last whether it is the last report of the attempt's traffic
     * @param pod that its token proves
     * @param patience how long it may wait for its turn
     * @param copyOf the FabricJob of which another replica hands a report on, {@code null} for what the pod says here
     * @param token of the pod, for who hands its report on; {@code null} where nobody does
     */
    record JobRequest(
            String path,
            int attempt,
            boolean inFull,
            int reads,
            ServedJob.@Nullable SeenFabric seen,
            @Nullable Boolean live,
            boolean last,
            PodTokens.BoundPod pod,
            byte[] body,
            Duration patience,
            @Nullable String copyOf,
            @Nullable String token) {
        /** Of a pod itself. */
        JobRequest(
                String path,
                int attempt,
                boolean inFull,
                int reads,
                ServedJob.@Nullable SeenFabric seen,
                PodTokens.BoundPod pod,
                byte[] body,
                Duration patience) {
            this(path, attempt, inFull, reads, seen, null, false, pod, body, patience, null, null);
        }
    }

    /** Hands a report on to the other replicas, each of which answers people. */
    @FunctionalInterface
    interface Copies {
        void send(TrafficCopy copy);
    }

    /**
     * A report as its pod has told it.
     *
     * @param token of the pod that has told it: nobody else is believed
     */
    record TrafficCopy(String namespace, String fabricJob, int attempt, String token, byte[] report) {}

    /** @param turns by namespace, such as {@link #TURNS} */
    JobEndpoint(
            FairTurns turns,
            DirectPods pods,
            JobRegistry registry,
            Replicas replicas,
            SshHosts sshHosts,
            HeldMaps heldMaps,
            TrafficTold trafficTold,
            TrafficOfJobs traffic,
            Copies copies,
            MeterRegistry meters) {
        this.turns = turns;
        this.pods = pods;
        this.registry = registry;
        this.replicas = replicas;
        this.sshHosts = sshHosts;
        this.heldMaps = heldMaps;
        this.trafficTold = trafficTold;
        this.traffic = traffic;
        this.copies = copies;
        this.meters = meters;
    }

    /**
     * May ask the API server and so take time; the answer itself is waited for by nobody. Pods that ask at one time wait for their turn; who finds more of them than may wait is
     * asked to come back when these will have been served.
     */
    CompletableFuture<JobResponse> answer(JobRequest request) throws JobRefusedException, InterruptedException {
        String namespace = request.pod().namespace();
        FairTurns.Outcome turn = turns.acquire(namespace, request.patience());
        if (turn != FairTurns.Outcome.taken) {
            throw new JobRefusedException(
                    JobResponse.later("too many pods ask at one time", turns.waiting() / SERVED_PER_SECOND));
        }
        try {
            return answerNow(request);
        } finally {
            turns.release(namespace);
        }
    }

    private CompletableFuture<JobResponse> answerNow(JobRequest request)
            throws JobRefusedException, InterruptedException {
        if (request.path().equals(HOSTS)) {
            return done(sshHosts.answer(request.pod()));
        }
        String copyOf = request.copyOf();
        // A copy may come, or come again, when the pod has told all it had to tell.
        PodFact pod = pod(request.pod(), copyOf != null);
        PodSlot slot = registry.slot(pod);
        if (copyOf != null) {
            return done(copy(request, pod, slot, copyOf));
        }
        String other = replicas.otherFor(slot.job());
        if (other != null) {
            // Views of two replicas may differ for a moment; a pod that is sent in a circle asks again after a pause.
            String query = (request.inFull() ? "&full=true" : "")
                    + (request.path().equals(JOIN) ? "&reads=" + request.reads() : "")
                    + (request.attempt() >= 0 ? "&attempt=" + request.attempt() : "")
                    + fabricQuery(request.seen())
                    + (request.live() == null ? "" : "&live=" + request.live())
                    + (request.last() ? "&last=true" : "");
            return done(JobResponse.elsewhere(
                    "https://" + other + request.path() + (query.isEmpty() ? "" : "?" + query.substring(1))));
        }
        if (request.path().equals(JOIN)) {
            PodReport report = report(request.body()).reading(request.reads());
            checkAddress(pod, report);
            registry.followOwner(pod, slot, report);
            ServedJob before = registry.ofNextAttempt(slot);
            return before == null
                    ? join(request, report, registry.member(pod, slot))
                    : before.awaitNextAttempt(pod.uid());
        }
        JobRegistry.Member member = registry.member(pod, slot);
        return switch (request.path()) {
            case WATCH -> member.job().watch(member.pod(), attempt(request), request.seen(), request.live());
            case MAP -> {
                ServedJob job = member.job();
                int attempt = attempt(request);
                yield done(job.mapTold(
                        member.pod(), attempt, () -> heldMaps.learn(job.job(), member.pod(), attempt, request.body())));
            }
            case TRAFFIC -> done(traffic(member, request));
            case EVENT ->
                done(event(member, attempt(request), new String(request.body(), StandardCharsets.UTF_8).strip()));
            default -> throw JobRefusedException.of(404, "no " + request.path());
        };
    }

    private CompletableFuture<JobResponse> join(JobRequest request, PodReport report, JobRegistry.Member member)
            throws JobRefusedException, InterruptedException {
        // Not as it was read before: what has been told since then was nobody's while the job was not served.
        PodFact.HostPrepared preparation = pod(request.pod(), false).preparation();
        if (preparation != null) {
            member.job().prepared(member.pod(), preparation);
        }
        return member.job().join(member.pod(), report, request.inFull());
    }

    private static String fabricQuery(ServedJob.@Nullable SeenFabric seen) {
        return seen == null
                ? ""
                : "&fabric=" + seen.generation()
                        + (seen.others() == null ? "" : "&others=" + seen.others())
                        + (seen.routes() == null ? "" : "&routes=" + seen.routes())
                        + (seen.impaired() == null ? "" : "&impaired=" + seen.impaired())
                        + (seen.pending() ? "&pending=true" : "")
                        + "&reads=" + seen.reads();
    }

    private PodFact pod(PodTokens.BoundPod proven, boolean mayBeOver) throws JobRefusedException, InterruptedException {
        try {
            return entitled(pods.find(proven.namespace(), proven.name(), proven.uid()), proven.name(), mayBeOver);
        } catch (IOException e) {
            throw unknown(proven.name());
        }
    }

    private static PodFact entitled(@Nullable PodFact pod, String name, boolean mayBeOver) throws JobRefusedException {
        if (pod == null) {
            throw JobRefusedException.of(403, "there is no pod " + name + " with the UID of the token");
        }
        if (!pod.direct()) {
            throw JobRefusedException.of(403, "pod " + name + " does not ask for a direct launch");
        }
        if (pod.life().isOver() && !mayBeOver) {
            throw JobRefusedException.of(403, "pod " + name + " has ended");
        }
        return pod;
    }

    private static JobRefusedException unknown(String pod) {
        return new JobRefusedException(JobResponse.later("the API server could not say what pod " + pod + " is"));
    }

    private static PodReport report(byte[] body) throws JobRefusedException {
        try {
            PodReport report = PodReportCodec.decode(body);
            if (report.after() > MOST_ATTEMPTS) {
                throw JobRefusedException.of(400, "no job has " + report.after() + " attempts");
            }
            return report;
        } catch (JobCodecException e) {
            throw JobRefusedException.of(400, String.valueOf(e.getMessage()));
        }
    }

    /**
     * A token that another pod has got hold of, or a volume that two pods share, would end the attempt of the pod that the token is for. To be asked again rather
     * than refused for good: a pod whose sandbox was made anew has another address before its status says so.
     */
    private void checkAddress(PodFact known, PodReport report) throws JobRefusedException, InterruptedException {
        if (isAt(known, report)) {
            return;
        }
        PodFact now;
        try {
            now = entitled(pods.ask(known.namespace(), known.name(), known.uid()), known.name(), false);
        } catch (IOException e) {
            throw unknown(known.name());
        }
        if (!isAt(now, report)) {
            throw new JobRefusedException(JobResponse.later("the token is that of pod " + now.name()
                    + ", which has the address " + String.join(", ", now.addresses()) + " and not that of this pod"));
        }
    }

    /** Whether the report names an address of the pod, as far as the API server knows any. */
    static boolean isAt(PodFact pod, PodReport report) {
        if (pod.addresses().isEmpty()) {
            return true;
        }
        for (String address : pod.addresses()) {
            try {
                if (Arrays.equals(InetAddress.ofLiteral(address).getAddress(), report.address())) {
                    return true;
                }
            } catch (IllegalArgumentException e) {
                // No address is no proof of anything.
                return true;
            }
        }
        return false;
    }

    private static int attempt(JobRequest request) throws JobRefusedException {
        if (request.attempt() < 0 || request.attempt() > MOST_ATTEMPTS) {
            throw JobRefusedException.of(400, "which attempt? ?attempt=N is missing or out of range");
        }
        return request.attempt();
    }

    private JobResponse traffic(JobRegistry.Member member, JobRequest request) throws JobRefusedException {
        ServedJob job = member.job();
        int attempt = attempt(request);
        JobResponse now = job.running(member.pod(), attempt);
        if (now.equals(JobResponse.NEWER_ATTEMPT)) {
            return now;
        }
        Duration pause = job.pauseOfTraffic(TRAFFIC_PAUSE, WATCHED_TRAFFIC_PAUSE, request.last() ? attempt : -1);
        if (!pause.isZero()) {
            throw new JobRefusedException(JobResponse.tooSoon("what this job has sent was told a moment ago", (int)
                    pause.plusSeconds(1).minusNanos(1).toSeconds()));
        }
        trafficTold(job.job(), job.objectName(), member.pod(), attempt, request.body());
        String token = request.token();
        if (token != null) {
            copies.send(new TrafficCopy(job.job().namespace(), job.objectName(), attempt, token, request.body()));
        }
        return now;
    }

    /** Another replica serves the job; people may ask this one what it has sent. The pod is as sure to be of the job as there. */
    private JobResponse copy(JobRequest request, PodFact pod, PodSlot slot, String name)
            throws JobRefusedException, InterruptedException {
        JobRegistry.Unserved of = registry.unserved(pod, slot);
        OwnerKind kind = OwnerKind.of(slot.owner());
        if (!name.equals(of.job().name())
                && (kind == null || !name.equals(of.job().name() + "-" + kind.suffix()))) {
            throw JobRefusedException.of(409, slot.owner().words() + " is not called " + name);
        }
        trafficTold(of.job(), name, of.pod(), attempt(request), request.body());
        return JobResponse.NOTHING;
    }

    private void trafficTold(DirectJob job, String name, JobPodId first, int attempt, byte[] body)
            throws JobRefusedException {
        traffic.told(job.owner().uid(), trafficTold.read(job, name, first, attempt, body));
    }

    private JobResponse event(JobRegistry.Member member, int attempt, String line) throws JobRefusedException {
        if (line.length() > LONGEST_EVENT) {
            throw JobRefusedException.of(
                    400, "an event of " + line.length() + " characters, more than " + LONGEST_EVENT);
        }
        Matcher exited = EXITED.matcher(line);
        Matcher finished = FINISHED.matcher(line);
        Matcher abort = ABORT.matcher(line);
        Matcher clients = CLIENTS.matcher(line);
        if (exited.matches()) {
            boolean bySignal = !"0".equals(exited.group(3));
            String how = bySignal
                    ? "was ended by signal " + exited.group(3)
                    : "ended with code " + exited.group(2)
                            + ("0".equals(exited.group(2)) ? " but without PMIx_Finalize" : "");
            return member.job()
                    .failed(
                            member.pod(),
                            attempt,
                            bySignal ? FailureEvidence.RankKilled : FailureEvidence.RankExited,
                            "rank " + exited.group(1) + " " + how);
        } else if (finished.matches()) {
            String words = finished.group(2) == null ? "" : oneLine(finished.group(2));
            return member.job()
                    .ended(member.pod(), attempt, Integer.parseInt(finished.group(1)), words.isEmpty() ? null : words);
        } else if (abort.matches()) {
            String message = oneLine(abort.group(3));
            return member.job()
                    .failed(
                            member.pod(),
                            attempt,
                            FailureEvidence.RankAborted,
                            "rank " + abort.group(1) + " aborted with code " + abort.group(2)
                                    + (message.isEmpty() ? "" : ": " + message));
        } else if (clients.matches()) {
            JobClients ofPod = new JobClients(number(clients, 1), number(clients, 2), number(clients, 3));
            if (ofPod.ranks() > JobLimits.RANKS_PER_POD) {
                throw JobRefusedException.of(400, "no pod has " + ofPod.ranks() + " ranks");
            }
            return member.job().clients(member.pod(), attempt, ofPod, () -> count(ofPod));
        } else if ("unconnected".equals(line)) {
            return member.job().unconnected(member.pod(), attempt);
        } else if (!"running".equals(line)) {
            throw JobRefusedException.of(400, "an event is running, exited, finished, clients, unconnected or abort");
        }
        return member.job().running(member.pod(), attempt);
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    private void count(JobClients clients) {
        count("pmix", clients.pmix());
        count("pmi1", clients.pmi1());
        count("none", clients.none());
    }

    private void count(String protocol, int ranks) {
        Counter.builder("fabric_operator_job_ranks")
                .description("Ranks of jobs by the protocol in which they found each other, in each attempt")
                .tag("protocol", protocol)
                .register(meters)
                .increment(ranks);
    }

    private static String oneLine(String text) {
        return CONTROL.matcher(text).replaceAll(" ").strip();
    }

    private static CompletableFuture<JobResponse> done(JobResponse answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
