/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against an API server that has a launcher and some workers in every namespace. */
class SshHostsTest {
    static final KnownFabrics NO_FABRICS = new KnownFabrics() {
        @Override
        public List<ServedDevice> devicesOf(String node) {
            return List.of();
        }

        @Override
        public @Nullable ServedFabric fabric(String name) {
            return null;
        }

        @Override
        public List<SwitchFacts> impairedSwitches() {
            return List.of();
        }

        @Override
        public JobTraffic jobTraffic() {
            return new JobTraffic(List.of(), device -> false);
        }

        @Override
        public Set<String> withPreparedHosts() {
            return Set.of();
        }

        @Override
        public boolean isPending(String name) {
            return false;
        }
    };

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch listing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Semaphore slowOnes = new Semaphore(0);
    private HttpServer server;
    private KubernetesClient client;
    private SshHosts hosts;
    private volatile String query = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/api/v1/namespaces/", this::serve);
        server.start();
        client = TestApiServer.client(server);
        hosts = new SshHosts(
                client,
                new DirectPods(client, new Informers(new SimpleMeterRegistry()), DirectPods.READ_WAIT),
                NO_FABRICS);
    }

    @AfterEach
    void stop() {
        goOn.countDown();
        client.close();
        server.stop(0);
        threads.close();
    }

    private void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body;
        if (path.endsWith("/pods")) {
            query = exchange.getRequestURI().getQuery();
            body = list();
            if (path.contains("/endless/")) {
                body = body.replace("\"metadata\": {}", "\"metadata\": {\"continue\": \"more\"}");
            }
            if (path.contains("/slow")) {
                slowOnes.release();
                listing.countDown();
                await(goOn);
            }
        } else {
            body = pod("launcher", "Running").replace("any", path.split("/")[4]);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static String list() {
        return """
                {"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": [%s, %s, %s]}
                """.formatted(pod("worker-1", "Running"), pod("worker-0", "Running"), pod("worker-2", "Failed"));
    }

    private static String pod(String name, String phase) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "any", "uid": "of-%s",
                  "labels": {"training.kubeflow.org/job-name": "pi"},
                  "annotations": {"fabric-operator.dev/launch": "env", "fabric-operator.dev/rank-order": "topology"}},
                 "spec": {"nodeName": "n"}, "status": {"phase": "%s"}}
                """.formatted(name, name, phase);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private JobResponse ask(String namespace) {
        try {
            return hosts.answer(new PodTokens.BoundPod(namespace, "launcher", "of-launcher"));
        } catch (JobRefusedException e) {
            return e.answer();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void podsThatHaveEndedAreNoHosts() {
        JobResponse answer = ask("jobs");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("worker-0\nworker-1");
    }

    /** A page of 500 pods as large as their author likes is more than the server's heap. */
    @Test
    void podsAreListedInSmallPages() {
        assertThat(ask("jobs").status()).isEqualTo(200);
        assertThat(query).contains("limit=" + Informers.TENANT_LIST_LIMIT);
        assertThat(Informers.TENANT_LIST_LIMIT).isLessThanOrEqualTo(20);
    }

    /** Four namespaces whose launchers ask again as soon as they are answered. */
    @Test
    void whoWaitsIsServedBeforeThoseWhoAskAgain() throws Exception {
        List<CompletableFuture<JobResponse>> first = new ArrayList<>();
        for (String each : List.of("slow", "slow-2", "slow-3", "slow-4")) {
            first.add(CompletableFuture.supplyAsync(() -> ask(each), threads));
        }
        slowOnes.acquire(4);
        CompletableFuture<JobResponse> waiting = CompletableFuture.supplyAsync(() -> ask("jobs"), threads);
        goOn.countDown();
        assertThat(waiting.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        first.forEach(each -> assertThat(each.join().status()).isEqualTo(200));
    }

    @Test
    void aTurnThatTakesTooLongIsOver() {
        hosts = new SshHosts(
                client,
                new DirectPods(client, new Informers(new SimpleMeterRegistry()), DirectPods.READ_WAIT),
                NO_FABRICS,
                Duration.ofSeconds(5),
                Duration.ofMillis(100));
        assertThat(ask("endless").status()).isEqualTo(503);
        assertThat(ask("jobs").status()).isEqualTo(200);
    }

    @Test
    void theLaunchersOfOneNamespaceKeepNoOtherWaiting() {
        CompletableFuture<JobResponse> first = CompletableFuture.supplyAsync(() -> ask("slow"), threads);
        await(listing);
        for (int again = 0; again < 8; again++) {
            assertThat(ask("slow").status()).isEqualTo(503);
        }
        assertThat(ask("jobs").status()).isEqualTo(200);
        goOn.countDown();
        assertThat(first.join().status()).isEqualTo(200);
    }

    @Test
    void ranksOfAHostAreThoseThatTheMpiOperatorTellsItsLauncher() {
        assertThat(SshHosts.slots(launcher("OMPI_MCA_orte_set_default_slots", "8")))
                .isEqualTo(8);
        assertThat(SshHosts.slots(launcher("I_MPI_PERHOST", "2"))).isEqualTo(2);
        assertThat(SshHosts.slots(launcher("I_MPI_PERHOST", "all"))).isZero();
        assertThat(SshHosts.slots(launcher("OMPI_MCA_orte_set_default_slots", null)))
                .isZero();
    }

    private static Pod launcher(String variable, @Nullable String value) {
        return new PodBuilder()
                .withNewSpec()
                .addNewContainer()
                .addNewEnv()
                .withName(variable)
                .withValue(value)
                .endEnv()
                .endContainer()
                .endSpec()
                .build();
    }
}
