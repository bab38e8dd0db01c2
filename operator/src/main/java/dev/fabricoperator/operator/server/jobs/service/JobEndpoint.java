/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.Claim;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.pmix.job.JobCodecException;
import dev.fabricoperator.pmix.job.PodReport;
import dev.fabricoperator.pmix.job.PodReportCodec;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What pods may ask: to join, whether a newer attempt is wanted, and to tell what happened. */
final class JobEndpoint {
    static final String JOIN = "/v1/join";
    static final String EVENT = "/v1/event";
    static final String WATCH = "/v1/watch";

    /** Views of two replicas may differ for a moment; then the second one asked serves. */
    private static final int MOST_HOPS = 2;

    private static final int MOST_ATTEMPTS = 1_000_000;
    private static final int LONGEST_EVENT = 1024;
    private static final Pattern EXITED = Pattern.compile("exited (\\d{1,9}) (-?\\d{1,9}) (\\d{1,3})");
    private static final Pattern FINISHED = Pattern.compile("finished (-?\\d{1,9})");
    private static final Pattern ABORT = Pattern.compile("abort (\\d{1,9}) (-?\\d{1,9}) ?(.*)", Pattern.DOTALL);

    private final PodTokens tokens;
    private final DirectPods pods;
    private final Rooms rooms;
    private final Replicas replicas;

    /**
     * @param attempt that the pod runs, -1 where it does not say
     * @param hops how often the question was sent on
     * @param inFull whether the pod wants the map itself
     */
    record Question(
            String path,
            int attempt,
            int hops,
            boolean inFull,
            @Nullable String token,
            byte[] body) {}

    JobEndpoint(PodTokens tokens, DirectPods pods, Rooms rooms, Replicas replicas) {
        this.tokens = tokens;
        this.pods = pods;
        this.rooms = rooms;
        this.replicas = replicas;
    }

    /** May ask the API server and so take time; the answer itself is waited for by nobody. */
    CompletableFuture<Answer> answer(Question question) throws RefusedException, InterruptedException {
        PodFact pod = pod(tokens.prove(question.token()));
        Claim claim = rooms.claim(pod);
        String other = replicas.otherFor(claim.owner().uid());
        if (other != null && question.hops() < MOST_HOPS) {
            String query = (question.inFull() ? "full=true&" : "")
                    + (question.attempt() >= 0 ? "attempt=" + question.attempt() + "&" : "")
                    + "hops=" + (question.hops() + 1);
            return done(Answer.elsewhere("https://" + other + question.path() + "?" + query));
        }
        Rooms.Place place = rooms.place(pod, claim);
        return switch (question.path()) {
            case JOIN -> {
                PodReport report = report(question.body());
                checkAddress(pod, report);
                yield place.room().join(place.pod(), report, question.inFull());
            }
            case WATCH -> watch(place, question.attempt());
            case EVENT ->
                done(event(place, question.attempt(), new String(question.body(), StandardCharsets.UTF_8).strip()));
            default -> throw RefusedException.of(404, "no " + question.path());
        };
    }

    private PodFact pod(PodTokens.BoundPod proven) throws RefusedException {
        PodFact pod;
        try {
            pod = pods.find(proven.namespace(), proven.name(), proven.uid());
        } catch (KubernetesClientException e) {
            throw unknown(proven.name());
        }
        if (pod == null) {
            throw RefusedException.of(403, "there is no pod " + proven.name() + " with the UID of the token");
        }
        if (!pod.direct()) {
            throw RefusedException.of(403, "pod " + pod.name() + " does not ask for a direct launch");
        }
        if (pod.life().isOver()) {
            throw RefusedException.of(403, "pod " + pod.name() + " has ended");
        }
        return pod;
    }

    private static RefusedException unknown(String pod) {
        return new RefusedException(Answer.later("the API server could not say what pod " + pod + " is"));
    }

    private static PodReport report(byte[] body) throws RefusedException {
        try {
            PodReport report = PodReportCodec.decode(body);
            if (report.after() > MOST_ATTEMPTS) {
                throw RefusedException.of(400, "no job has " + report.after() + " attempts");
            }
            return report;
        } catch (JobCodecException e) {
            throw RefusedException.of(400, String.valueOf(e.getMessage()));
        }
    }

    /**
     * A token that another pod has got hold of, or a volume that two pods share, would end the attempt of the pod that the token is for. To be asked again rather
     * than refused for good: a pod whose sandbox was made anew has another address before its status says so.
     */
    private void checkAddress(PodFact known, PodReport report) throws RefusedException {
        if (isAt(known, report)) {
            return;
        }
        PodFact now;
        try {
            now = pods.ask(known.namespace(), known.name(), known.uid());
        } catch (KubernetesClientException e) {
            throw unknown(known.name());
        }
        if (now != null && !isAt(now, report)) {
            throw new RefusedException(Answer.later("the token is that of pod " + now.name()
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

    private static CompletableFuture<Answer> watch(Rooms.Place place, int attempt) throws RefusedException {
        if (attempt < 0 || attempt > MOST_ATTEMPTS) {
            throw RefusedException.of(400, "which attempt? ?attempt=N is missing or out of range");
        }
        return place.room().watch(place.pod(), attempt);
    }

    private static Answer event(Rooms.Place place, int attempt, String line) throws RefusedException {
        if (line.length() > LONGEST_EVENT) {
            throw RefusedException.of(400, "an event of " + line.length() + " characters, more than " + LONGEST_EVENT);
        }
        if (attempt >= 0 && place.room().isOutdated(place.pod(), Math.min(attempt, MOST_ATTEMPTS))) {
            return Answer.NEWER_ATTEMPT;
        }
        Matcher exited = EXITED.matcher(line);
        Matcher finished = FINISHED.matcher(line);
        Matcher abort = ABORT.matcher(line);
        if (exited.matches()) {
            boolean bySignal = !"0".equals(exited.group(3));
            if (bySignal || !"0".equals(exited.group(2))) {
                String how = bySignal ? "was ended by signal " + exited.group(3) : "ended with code " + exited.group(2);
                place.room().failed(place.pod(), "rank " + exited.group(1) + " " + how);
            }
        } else if (finished.matches()) {
            place.room().ended(place.pod(), Integer.parseInt(finished.group(1)), null);
        } else if (abort.matches()) {
            String words = abort.group(3).isEmpty() ? "" : ": " + abort.group(3);
            place.room().failed(place.pod(), "rank " + abort.group(1) + " aborted with code " + abort.group(2) + words);
        } else if (!"running".equals(line)) {
            throw RefusedException.of(400, "an event is running, exited, finished or abort");
        }
        return Answer.NOTHING;
    }

    private static CompletableFuture<Answer> done(Answer answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
