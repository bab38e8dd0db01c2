/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.ApiReader;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server that holds objects by their paths, as an API server does. */
class OwnerJobsTest {
    private static final String JOB = "/apis/batch/v1/namespaces/work/jobs/ring";
    private static final String JOB_SET = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/work/jobsets/set";

    private final Map<String, String> objects = new ConcurrentHashMap<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private KubernetesClient client;
    private OwnerJobs owners;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            requests.add(path);
            byte[] body = objects.getOrDefault(path, "{}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(objects.containsKey(path) ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        client = TestApiServer.client(server);
        owners = new OwnerJobs(new ApiReader(client, 4), Clock.systemUTC(), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        client.close();
        server.stop(0);
    }

    private static ObjectNode pod(String name, String uid) {
        ObjectNode pod = new ObjectMapper().createObjectNode();
        pod.withObject("metadata")
                .withArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", "Job")
                .put("name", name)
                .put("uid", uid)
                .put("controller", true);
        return pod;
    }

    private static String object(String uid, String ownerUid) {
        return """
                {"spec": {"completions": 7}, "metadata": {"uid": "%s", "ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
                 "name": "set", "uid": "%s", "controller": true}]}}""".formatted(uid, ownerUid);
    }

    @Test
    void aJobAndItsJobSetAreReadOnceForAllPods() {
        objects.put(JOB, object("u1", "u2"));
        objects.put(JOB_SET, object("u2", ""));

        List<OwnerSpecs> found = IntStream.range(0, 50)
                .parallel()
                .mapToObj(pod -> read(pod("ring", "u1")))
                .toList();

        assertThat(found).allSatisfy(specs -> {
            assertThat(specs.job().at("/spec/completions").asInt()).isEqualTo(7);
            assertThat(specs.jobSet()).isNotNull();
        });
        assertThat(requests).containsExactly(JOB, JOB_SET);
    }

    private @Nullable OwnerSpecs read(ObjectNode pod) {
        try {
            return owners.of("work", pod);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aJobThatIsNotReadInTimeIsNotTakenForNone() throws IOException {
        CountDownLatch slow = new CountDownLatch(1);
        server.createContext(JOB, exchange -> {
            try {
                slow.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        OwnerJobs impatient = new OwnerJobs(new ApiReader(client, 4), Clock.systemUTC(), Duration.ofMillis(100));
        try {
            assertThatThrownBy(() -> impatient.of("work", pod("ring", "u1")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(JOB);
        } finally {
            slow.countDown();
        }
        server.removeContext(JOB);
        objects.put(JOB, object("u1", "u2"));
        assertThat(owners.of("work", pod("ring", "u1")))
                .as("the next pod asks again")
                .isNotNull();
    }

    @Test
    void aJobThatTheApiServerRefusesIsNotTakenForNone() {
        server.createContext(JOB, exchange -> {
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
        });
        assertThatThrownBy(() -> owners.of("work", pod("ring", "u1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("403");
    }

    @Test
    void ofLargeObjectsOnlyWhatDecidesIsKept() throws IOException {
        String large = "x".repeat(500_000);
        objects.put(JOB, object("u1", "u2").replace("\"spec\": {", "\"spec\": {\"selector\": \"" + large + "\", "));
        objects.put(JOB_SET, """
                {"metadata": {"uid": "u2", "name": "set", "annotations": {"a": "%1$s"}}, "spec": {"replicatedJobs": [
                 {"name": "workers", "replicas": 2, "template": {"spec": {"completions": 3, "template": {"metadata": {"annotations":
                  {"fabric-operator.dev/launch": "direct", "fabric-operator.dev/ranks-per-pod": "4", "fabric-operator.dev/x": "%1$s",
                   "y": "%1$s"}}, "spec": {"containers": [{"command": ["%1$s"]}]}}}}}]}}""".formatted(large));

        OwnerSpecs found = Objects.requireNonNull(owners.of("work", pod("ring", "u1")));

        assertThat(found.ranks(1)).isEqualTo(24);
        assertThat((found.job().toString() + found.jobSet()).length()).isLessThan(1000);
    }

    @Test
    void anotherJobOfTheSameNameIsNotThePods() throws IOException {
        objects.put(JOB, object("u1", "u2"));
        objects.put(JOB_SET, object("another", ""));

        assertThat(owners.of("work", pod("ring", "stale"))).isNull();
        assertThat(owners.of("work", pod("ring", "u1"))).extracting("jobSet").isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../../../../api/v1/namespaces/kube-system/secrets/a",
                "ring?watch=true",
                "ring/status",
                "RING",
                "",
                "%2e%2e"
            })
    void aNameThatIsNoneIsAskedOfNobody(String name) throws IOException {
        assertThat(owners.of("work", pod(name, "u1"))).isNull();
        assertThat(owners.of("work", pod("ring", "u".repeat(100_000)))).isNull();
        assertThat(owners.of("../kube-system", pod("ring", "u1"))).isNull();
        assertThat(requests).isEmpty();
    }
}
