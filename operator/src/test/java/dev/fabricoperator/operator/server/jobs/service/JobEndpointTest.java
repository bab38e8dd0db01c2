/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.pmix.job.PodReport;
import dev.fabricoperator.pmix.job.PodReportCodec;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JobEndpointTest {
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
                    exchange.sendResponseHeaders(reads.incrementAndGet() == 1 ? 200 : 404, pod.length);
                    exchange.getResponseBody().write(pod);
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

    /** The API server is slow, and says then that there is no such pod. */
    @Test
    @Timeout(120)
    void thePodsOfOneNamespaceKeepNoOtherWaiting() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                KubernetesClient client = TestApiServer.client(server)) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (exchange) {
                    goOn.await();
                    exchange.sendResponseHeaders(404, -1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
            JobEndpoint endpoint = endpoint(client);

            List<Future<String>> slow = IntStream.range(0, 600)
                    .mapToObj(i -> threads.submit(() -> ask(endpoint, JobEndpoint.WATCH, "slow", new byte[0])))
                    .toList();
            while (slow.stream().filter(Future::isDone).count() < 600 - 512) {
                Thread.sleep(10);
            }
            Future<String> other = threads.submit(() -> ask(endpoint, JobEndpoint.WATCH, "jobs", new byte[0]));
            goOn.countDown();

            assertThat(other.get()).contains("there is no pod");
            assertThat(slow.stream().filter(each -> {
                        try {
                            return each.get().equals("too many pods ask at one time");
                        } catch (InterruptedException | ExecutionException e) {
                            throw new IllegalStateException(e);
                        }
                    }))
                    .hasSize(600 - 512);
        } finally {
            goOn.countDown();
            server.stop(0);
        }
    }

    private static JobEndpoint endpoint(KubernetesClient client) {
        DirectPods pods = new DirectPods(client, new Informers(new SimpleMeterRegistry()), Duration.ofMinutes(2));
        JobRegistry registry = new JobRegistry(
                new JobOwners(client, Clock.systemUTC()),
                (job, first, before) -> {
                    throw new IllegalStateException("no pod gets into a job here");
                },
                Clock.systemUTC(),
                Duration.ofMinutes(1));
        return new JobEndpoint(
                pods,
                registry,
                new Replicas(null),
                new SshHosts(client, pods, SshHostsTest.NO_FABRICS),
                new HeldMaps(SshHostsTest.NO_FABRICS, new JobMaps(SshHostsTest.NO_FABRICS), (job, name) -> null));
    }

    private static String ask(JobEndpoint endpoint, String path, String namespace, byte[] body)
            throws InterruptedException {
        try {
            endpoint.answer(new JobEndpoint.JobRequest(
                    path, 0, false, null, new PodTokens.BoundPod(namespace, "a", "of-a"), body));
            return "an answer";
        } catch (JobRefusedException e) {
            return new String(e.answer().body(), StandardCharsets.UTF_8);
        }
    }
}
