/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class WaitingJobsTest {
    private static final String NAMESPACE = "{\"metadata\":{\"name\":\"%s\"}}";
    private static final String JOB = """
            {"metadata":{"namespace":"work","name":"%s","uid":"u"},"spec":{"template":{"metadata":{"annotations":{"fabric-operator.dev/launch":"direct"}}}}}""";

    private static String list(String next, String item) {
        return "{\"metadata\":{\"continue\":\"" + next + "\"},\"items\":[" + item + "]}";
    }

    @Test
    void jobsOnEveryPageAreWokenAndOneThatCannotBeKeepsNoOtherWaiting() throws IOException {
        Queue<String> patched = new ConcurrentLinkedQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            boolean first = !query.contains("continue=next");
            String body = switch (path) {
                case "/api/v1/namespaces" -> list(first ? "next" : "", NAMESPACE.formatted(first ? "empty" : "work"));
                case "/apis/batch/v1/namespaces/work/jobs" ->
                    list(first ? "next" : "", JOB.formatted(first ? "forbidden" : "waiting"));
                default -> list("", "");
            };
            int status = 200;
            if (exchange.getRequestMethod().equals("PATCH")) {
                patched.add(path);
                status = path.endsWith("/forbidden") ? 403 : 200;
                body = JOB.formatted("waiting");
            } else {
                assertThat(query).contains("limit=" + Informers.TENANT_LIST_LIMIT);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        Settings settings = OperatorSettings.usual();
        try (KubernetesClient client = TestApiServer.client(server)) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            new WaitingJobs(client, settings, Clock.systemUTC(), new GuardedLoops(meters), new Informers(meters))
                    .wakeAll();
        } finally {
            server.stop(0);
        }
        assertThat(patched)
                .containsExactly(
                        "/apis/batch/v1/namespaces/work/jobs/forbidden", "/apis/batch/v1/namespaces/work/jobs/waiting");
    }

    private static JobBuilder direct() {
        return new JobBuilder()
                .withNewMetadata()
                .endMetadata()
                .withNewSpec()
                .withParallelism(2)
                .withNewTemplate()
                .withNewMetadata()
                .addToAnnotations(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                .endMetadata()
                .endTemplate()
                .endSpec();
    }

    @Test
    void aJobWaitsThatHasFewerPodsThanItShouldHaveByNow() {
        assertThat(WaitingJobs.waits(direct().build())).isTrue();
        assertThat(WaitingJobs.waits(
                        direct().withNewStatus().withActive(1).endStatus().build()))
                .isTrue();
        for (Job other : new Job[] {
            direct().withNewStatus().withActive(1).withSucceeded(1).endStatus().build(),
            direct().editSpec().withSuspend(true).endSpec().build(),
            direct().editMetadata().withDeletionTimestamp("now").endMetadata().build(),
            direct().editSpec()
                    .editTemplate()
                    .editMetadata()
                    .addToAnnotations(LaunchApi.LAUNCH, LaunchApi.ENV)
                    .endMetadata()
                    .endTemplate()
                    .endSpec()
                    .build(),
            direct().withNewStatus()
                    .addNewCondition()
                    .withType("Failed")
                    .withStatus("True")
                    .endCondition()
                    .endStatus()
                    .build()
        }) {
            assertThat(WaitingJobs.waits(other)).isFalse();
        }
    }
}
