/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.http.FairTurns;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.operator.server.traffic.TrafficOfJobs;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReportCodec;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobEndpointTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern POD = Pattern.compile("/api/v1/namespaces/([a-z]+)/pods/ring-([0-9]+)");
    private static final JobRegistry.Opening NO_JOB = (job, first, before) -> {
        throw new IllegalStateException("no pod gets into a job here");
    };

    private static boolean isAt(String reported, String... known) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withName("ring-0-abcde")
                .withNamespace("space")
                .endMetadata()
                .withNewStatus()
                .endStatus();
        for (String address : known) {
            pod.editStatus().addNewPodIP(address).endStatus();
        }
        byte[] address = InetAddress.ofLiteral(reported).getAddress();
        PodReport report = new PodReport(new byte[16], -1, address, 7471, 1, "", "", List.of());
        return JobEndpoint.isAt(PodFact.of(pod.build()), report);
    }

    @Test
    void aPodIsWhereItsStatusSaysAndAnywhereBeforeThat() {
        assertThat(isAt("10.244.11.5")).isTrue();
        assertThat(isAt("10.244.11.5", "10.244.11.5")).isTrue();
        assertThat(isAt("fd00::7", "10.244.11.5", "fd00:0::7")).isTrue();
        assertThat(isAt("10.244.11.5", "fd00::7", "10.244.11.5")).isTrue();
        assertThat(isAt("10.244.11.6", "10.244.11.5")).isFalse();
        assertThat(isAt("10.244.11.6", "10.244.11.5", "fd00::7")).isFalse();
    }

    /** Between two reads the pod is deleted: what memory or the first read had of it is no longer true. */
    @Test
    @Timeout(60)
    void theTokenOfAPodThatIsGoneJoinsFromNoOtherAddress() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (KubernetesClient client = TestApiServer.client(server)) {
            server.createContext("/api/v1/namespaces/space/pods/a", exchange -> {
                byte[] pod = """
                        {"metadata": {"namespace": "space", "name": "a", "uid": "of-a",
                           "labels": {"fabric-operator.dev/launch": "direct",
                             "batch.kubernetes.io/controller-uid": "ring", "batch.kubernetes.io/job-completion-index": "0"},
                           "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "ring", "uid": "ring", "controller": true}]},
                         "spec": {"nodeName": "node-1"}, "status": {"podIPs": [{"ip": "10.244.11.5"}]}}
                        """.getBytes(StandardCharsets.UTF_8);
                try (exchange) {
                    boolean isThere = reads.incrementAndGet() == 1;
                    byte[] answer = isThere ? pod : TestApiServer.notFound("a");
                    exchange.sendResponseHeaders(isThere ? 200 : 404, answer.length);
                    exchange.getResponseBody().write(answer);
                }
            });
            server.createContext("/apis/batch/v1/namespaces/space/jobs/ring", exchange -> {
                byte[] job = """
                        {"metadata": {"namespace": "space", "name": "ring", "uid": "ring"},
                         "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed",
                           "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "ring"}}, "template": {}}}
                        """.getBytes(StandardCharsets.UTF_8);
                try (exchange) {
                    exchange.sendResponseHeaders(200, job.length);
                    exchange.getResponseBody().write(job);
                }
            });
            server.start();
            byte[] elsewhere = InetAddress.ofLiteral("10.244.11.6").getAddress();
            PodReport report = new PodReport(new byte[16], -1, elsewhere, 7471, 1, "", "", List.of());

            assertThat(ask(endpoint(client), JobEndpoint.JOIN, "space", PodReportCodec.encode(report)))
                    .isEqualTo("there is no pod a with the UID of the token");
            assertThat(reads).hasValue(2);
        } finally {
            server.stop(0);
        }
    }

    private static void serve(HttpServer server, String path, Supplier<String> object) {
        server.createContext(path, exchange -> {
            byte[] body = object.get().getBytes(StandardCharsets.UTF_8);
            try (exchange) {
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
    }

    private static CompletableFuture<JobResponse> join(JobEndpoint endpoint, int index, int after)
            throws JobRefusedException, InterruptedException {
        return join(endpoint, "space", index, after);
    }

    private static CompletableFuture<JobResponse> join(JobEndpoint endpoint, String namespace, int index, int after)
            throws JobRefusedException, InterruptedException {
        byte[] address = {10, 0, (byte) (index >> 8), (byte) index};
        PodReport report = new PodReport(new byte[16], after, address, 7471, 1, "", "", List.of());
        return endpoint.answer(new JobEndpoint.JobRequest(
                JobEndpoint.JOIN,
                -1,
                false,
                0,
                null,
                new PodTokens.BoundPod(namespace, "ring-" + index, "uid-" + index),
                PodReportCodec.encode(report),
                PATIENCE));
    }

    /** Jobs whose maps are the attempt and the number of pods, modulo 256. */
    private static JobRegistry.Opening assembling(Clock clock, SteadyClock steady) {
        return (job, first, before) -> new ServedJob(
                new Assembly(
                        job, before == null ? null : before.get(), Assembly.HostsToPrepare.NONE, (attempt, joined) ->
                                new byte[] {(byte) attempt, (byte) joined.size()}),
                () -> JobTickets.NONE,
                new AtomicReference<>(),
                clock,
                steady,
                Duration.ofMinutes(2));
    }

    /** The pod of an index that the Job has got since is refused nothing, and one that nobody asks for is. */
    @Test
    @Timeout(60)
    void aPodOfAJobThatHasGrownWaitsForTheAttemptAfterTheOneThatGoesOn() throws Exception {
        AtomicInteger completions = new AtomicInteger(1);
        HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (KubernetesClient client = TestApiServer.client(server)) {
            for (int index = 0; index < 3; index++) {
                String pod = """
                    {"metadata": {"namespace": "space", "name": "ring-%1$d", "uid": "uid-%1$d", "creationTimestamp": "2026-01-01T00:00:00Z",
                       "labels": {"fabric-operator.dev/launch": "direct", "batch.kubernetes.io/job-completion-index": "%1$d"},
                       "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "ring", "uid": "ring", "controller": true}]},
                     "spec": {"nodeName": "node-1"}}\
                    """.formatted(index);
                serve(server, "/api/v1/namespaces/space/pods/ring-" + index, () -> pod);
            }
            serve(server, "/apis/batch/v1/namespaces/space/jobs/ring", () -> """
                {"metadata": {"namespace": "space", "name": "ring", "uid": "ring"},
                 "spec": {"completions": %1$d, "parallelism": %1$d, "completionMode": "Indexed", "selector": {}, "template": {}}}\
                """.formatted(completions.get()));
            server.start();
            JobEndpoint endpoint = endpoint(client, clock.steady(), assembling(clock, clock.steady()));
            assertThat(join(endpoint, 0, -1).join().body()).containsExactly(0, 1);

            completions.set(2);
            clock.move(Duration.ofSeconds(2));
            CompletableFuture<JobResponse> late = join(endpoint, 1, -1);
            assertThat(late).as("the attempt goes on").isNotDone();
            clock.move(Duration.ofSeconds(2));
            assertThatThrownBy(() -> join(endpoint, 2, -1))
                    .isInstanceOfSatisfying(
                            JobRefusedException.class,
                            refused -> assertThat(refused.answer().status()).isEqualTo(403));

            CompletableFuture<JobResponse> first = join(endpoint, 0, 0);
            assertThat(late).as("it asks again").isCompletedWithValue(JobResponse.NOTHING);
            assertThat(join(endpoint, 1, -1).join().body()).containsExactly(1, 2);
            assertThat(first.join().body()).containsExactly(1, 2);
        } finally {
            server.stop(0);
        }
    }

    private static JobResponse tell(JobEndpoint endpoint, @Nullable String copyOf) throws Exception {
        return tell(endpoint, false, copyOf);
    }

    private static JobResponse tell(JobEndpoint endpoint, boolean last, @Nullable String copyOf) throws Exception {
        byte[] report = TrafficReportCodec.encode(
                TrafficReport.of(new TrafficReport.Pod(0, 1_000, true, 0, List.of()), List.of())
                        .named(List.of("ring-0")));
        try {
            return endpoint.answer(new JobEndpoint.JobRequest(
                            JobEndpoint.TRAFFIC,
                            0,
                            false,
                            0,
                            null,
                            null,
                            last,
                            new PodTokens.BoundPod("space", "ring-0", "uid-0"),
                            report,
                            PATIENCE,
                            copyOf,
                            "token"))
                    .join();
        } catch (JobRefusedException e) {
            return e.answer();
        }
    }

    @Test
    @Timeout(60)
    void trafficIsToldAgainAfterAPauseAndACopyOfItCountsWhenThePodHasEnded() throws Exception {
        AtomicReference<String> phase = new AtomicReference<>("Running");
        HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
        List<JobEndpoint.TrafficCopy> copied = new ArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (KubernetesClient client = TestApiServer.client(server)) {
            serve(server, "/api/v1/namespaces/space/pods/ring-0", () -> """
                {"metadata": {"namespace": "space", "name": "ring-0", "uid": "uid-0", "creationTimestamp": "2026-01-01T00:00:00Z",
                   "labels": {"fabric-operator.dev/launch": "direct", "batch.kubernetes.io/job-completion-index": "0"},
                   "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "ring", "uid": "ring", "controller": true}]},
                 "spec": {"nodeName": "node-1"}, "status": {"phase": "%s"}}\
                """.formatted(phase.get()));
            serve(server, "/apis/batch/v1/namespaces/space/jobs/ring", () -> """
                {"metadata": {"namespace": "space", "name": "ring", "uid": "ring"},
                 "spec": {"completions": 1, "parallelism": 1, "completionMode": "Indexed", "selector": {}, "template": {}}}\
                """);
            server.start();
            JobEndpoint endpoint = endpoint(
                    new FairTurns(JobEndpoint.TURNS),
                    client,
                    clock.steady(),
                    assembling(clock, clock.steady()),
                    new TrafficOfJobs(clock.steady()),
                    copied::add);
            assertThat(join(endpoint, 0, -1).join().body()).containsExactly(0, 1);

            assertThat(tell(endpoint, null).status()).isEqualTo(204);
            JobResponse again = tell(endpoint, null);
            assertThat(again.status()).isEqualTo(429);
            assertThat(again.header()).isEqualTo(new JobResponse.Header("Retry-After", "5"));
            clock.move(JobEndpoint.TRAFFIC_PAUSE.minusMillis(1_500));
            assertThat(tell(endpoint, null).header()).isEqualTo(new JobResponse.Header("Retry-After", "2"));
            assertThat(tell(endpoint, true, null).status())
                    .as("the last one of its attempt")
                    .isEqualTo(204);
            assertThat(tell(endpoint, true, null).status()).isEqualTo(429);
            assertThat(copied).extracting(JobEndpoint.TrafficCopy::fabricJob).containsExactly("ring", "ring");

            phase.set("Succeeded");
            TrafficOfJobs other = new TrafficOfJobs(clock.steady());
            JobEndpoint replica =
                    endpoint(new FairTurns(JobEndpoint.TURNS), client, clock.steady(), NO_JOB, other, copied::add);
            assertThat(tell(replica, null).status()).isEqualTo(403);
            assertThat(tell(replica, "ring").status()).isEqualTo(204);
            assertThat(other.of("space", "ring")).isNotNull();
            assertThat(copied).as("a copy is not copied").hasSize(2);
            server.removeContext("/apis/batch/v1/namespaces/space/jobs/ring");
            assertThat(tell(replica, "ring").status())
                    .as("the owner is not read for each copy")
                    .isEqualTo(204);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void theMoreWaitTheLongerIsTheTimeOverWhichOthersAreSpread() {
        IntStream seconds = IntStream.range(0, 2000)
                .map(i -> Integer.parseInt(Objects.requireNonNull(JobResponse.later("busy", i % 2 == 0 ? 12 : 1_000_000)
                                .header())
                        .value()));

        assertThat(seconds.boxed().collect(Collectors.toSet()))
                .isEqualTo(IntStream.rangeClosed(1, 30).boxed().collect(Collectors.toSet()));
    }

    @Test
    void podsThatAreSentAwayTogetherDoNotComeBackTogether() {
        List<String> pauses = IntStream.range(0, 200)
                .mapToObj(i -> JobResponse.later("busy"))
                .map(answer -> Objects.requireNonNull(answer.header()).value())
                .distinct()
                .sorted()
                .toList();

        assertThat(pauses).containsExactly("1", "2", "3", "4");
    }

    /** A pod of the Job ring of its namespace, or that Job. */
    private static String object(String path, int completions) {
        Matcher pod = POD.matcher(path);
        return pod.matches()
                ? """
                {"metadata": {"namespace": "%1$s", "name": "ring-%2$s", "uid": "uid-%2$s", "creationTimestamp": "2026-01-01T00:00:00Z",
                   "labels": {"fabric-operator.dev/launch": "direct", "batch.kubernetes.io/job-completion-index": "%2$s"},
                   "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "ring", "uid": "of-%1$s", "controller": true}]},
                 "spec": {"nodeName": "node-1"}}\
                """.formatted(pod.group(1), pod.group(2))
                : """
                {"metadata": {"namespace": "%1$s", "name": "ring", "uid": "of-%1$s"},
                 "spec": {"completions": %2$d, "parallelism": %2$d, "completionMode": "Indexed", "selector": {}, "template": {}}}\
                """.formatted(path.split("/")[5], completions);
    }

    /** The API server answers to none of them at first. */
    @Test
    @Timeout(120)
    void aThousandPodsOfAJobThatAskAtOneTimeAndThoseOfAnotherNamespaceBesideThemAllGetTheirMap() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                KubernetesClient client = TestApiServer.client(server)) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                String path = exchange.getRequestURI().getPath();
                byte[] body = object(path, path.contains("/many/") ? 1000 : 2).getBytes(StandardCharsets.UTF_8);
                try (exchange) {
                    goOn.await();
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
            FairTurns turns = new FairTurns(JobEndpoint.TURNS);
            JobEndpoint endpoint =
                    endpoint(turns, client, SteadyClock.system(), assembling(Clock.systemUTC(), SteadyClock.system()));

            List<Future<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                int index = i;
                answers.add(threads.submit(
                        () -> join(endpoint, "many", index, -1).join().body()));
            }
            while (turns.waiting() < 1000 - JobEndpoint.TURNS.each()) {
                Thread.sleep(10);
            }
            for (int i = 0; i < 2; i++) {
                int index = i;
                answers.add(threads.submit(
                        () -> join(endpoint, "few", index, -1).join().body()));
            }
            goOn.countDown();

            for (Future<byte[]> each : answers.subList(1000, 1002)) {
                assertThat(each.get()).containsExactly(0, 2);
            }
            for (Future<byte[]> each : answers.subList(0, 1000)) {
                assertThat(each.get()).containsExactly(0, (byte) 1000);
            }
        } finally {
            goOn.countDown();
            server.stop(0);
        }
    }

    /** The API server is slow, and says then that there is no such pod. */
    @Test
    @Timeout(120)
    void aNamespaceWithTenThousandRequestsHasAsManyThatWaitAsItMayAndKeepsNoOtherOut() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                KubernetesClient client = TestApiServer.client(server)) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (exchange) {
                    goOn.await();
                    String path = exchange.getRequestURI().getPath();
                    byte[] answer = TestApiServer.notFound(path.substring(path.lastIndexOf('/') + 1));
                    exchange.sendResponseHeaders(404, answer.length);
                    exchange.getResponseBody().write(answer);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
            JobEndpoint endpoint = endpoint(
                    new FairTurns(new FairTurns.Limits(20, 10, 100, 50)), client, SteadyClock.system(), NO_JOB);

            List<Future<String>> many = IntStream.range(0, 10_000)
                    .mapToObj(i -> threads.submit(() -> ask(endpoint, JobEndpoint.WATCH, "many", new byte[0])))
                    .toList();
            while (many.stream().filter(Future::isDone).count() < 10_000 - 60) {
                Thread.sleep(10);
            }
            Future<String> other = threads.submit(() -> ask(endpoint, JobEndpoint.WATCH, "few", new byte[0]));
            goOn.countDown();

            assertThat(other.get()).contains("there is no pod");
            List<String> refused = new ArrayList<>();
            for (Future<String> each : many) {
                refused.add(each.get());
            }
            assertThat(refused)
                    .filteredOn(each -> each.equals("too many pods ask at one time"))
                    .hasSize(10_000 - 60);
        } finally {
            goOn.countDown();
            server.stop(0);
        }
    }

    private static JobEndpoint endpoint(KubernetesClient client) {
        return endpoint(client, SteadyClock.system(), NO_JOB);
    }

    private static JobEndpoint endpoint(KubernetesClient client, SteadyClock clock, JobRegistry.Opening opening) {
        return endpoint(new FairTurns(JobEndpoint.TURNS), client, clock, opening);
    }

    private static JobEndpoint endpoint(
            FairTurns turns, KubernetesClient client, SteadyClock clock, JobRegistry.Opening opening) {
        return endpoint(turns, client, clock, opening, new TrafficOfJobs(clock), copy -> {});
    }

    private static JobEndpoint endpoint(
            FairTurns turns,
            KubernetesClient client,
            SteadyClock clock,
            JobRegistry.Opening opening,
            TrafficOfJobs traffic,
            JobEndpoint.Copies copies) {
        DirectPods pods = new DirectPods(client, new Informers(new SimpleMeterRegistry()), Duration.ofMinutes(2));
        JobRegistry registry = new JobRegistry(new JobOwners(client, clock), opening, clock, Duration.ofMinutes(1));
        return new JobEndpoint(
                turns,
                pods,
                registry,
                new Replicas(null),
                new SshHosts(client, pods, SshHostsTest.NO_FABRICS),
                new HeldMaps(SshHostsTest.NO_FABRICS, new JobMaps(SshHostsTest.NO_FABRICS), (job, name) -> null),
                new TrafficTold((job, name) -> null, Clock.systemUTC()),
                traffic,
                copies,
                new SimpleMeterRegistry());
    }

    private static String ask(JobEndpoint endpoint, String path, String namespace, byte[] body)
            throws InterruptedException {
        try {
            endpoint.answer(new JobEndpoint.JobRequest(
                    path, 0, false, 0, null, new PodTokens.BoundPod(namespace, "a", "of-a"), body, PATIENCE));
            return "an answer";
        } catch (JobRefusedException e) {
            return new String(e.answer().body(), StandardCharsets.UTF_8);
        }
    }
}
