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
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
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
            String object = objects.get(path);
            byte[] body = object == null
                    ? TestApiServer.notFound(path.substring(path.lastIndexOf('/') + 1))
                    : object.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(object == null ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        client = TestApiServer.client(server);
        owners = new OwnerJobs(new ApiReader(client, 4), SteadyClock.system(), Duration.ofSeconds(30));
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
                {"spec": {"completions": 7, "parallelism": 7, "completionMode": "Indexed", "template": {}}, "metadata": {"uid": "%s", "ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
             "name": "set", "uid": "%s", "controller": true}]}}\
            """.formatted(uid, ownerUid);
    }

    private static String jobSet(String uid) {
        return """
                {"metadata": {"uid": "%s", "name": "set"}, "spec": {"replicatedJobs": [
                 {"name": "workers", "replicas": 2, "template": {"spec": {"completions": 3, "parallelism": 3, "template": {"metadata": {"annotations":
              {"fabric-operator.dev/launch": "direct", "fabric-operator.dev/ranks-per-pod": "4"}}}}}}]}}\
            """.formatted(uid);
    }

    @Test
    void aJobAndItsJobSetAreReadOnceForAllPods() {
        objects.put(JOB, object("u1", "u2"));
        objects.put(JOB_SET, jobSet("u2"));

        List<DirectJob> found = IntStream.range(0, 50)
                .parallel()
                .mapToObj(pod -> read(pod("ring", "u1")))
                .toList();

        assertThat(found).allSatisfy(job -> {
            assertThat(job.owner().words()).isEqualTo("JobSet set");
            assertThat(job.ranks()).isEqualTo(24);
        });
        assertThat(requests).containsExactly(JOB, JOB_SET);
    }

    /** What admission asks for a pod. */
    private static @Nullable DirectJob of(OwnerJobs owners, String namespace, ObjectNode pod) throws IOException {
        OwnerRef controller = OwnerRef.controller(pod);
        return controller == null ? null : owners.of(namespace, controller);
    }

    private @Nullable DirectJob read(ObjectNode pod) {
        try {
            return of(owners, "work", pod);
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
        OwnerJobs impatient = new OwnerJobs(new ApiReader(client, 4), SteadyClock.system(), Duration.ofMillis(100));
        try {
            assertThatThrownBy(() -> of(impatient, "work", pod("ring", "u1")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(JOB);
        } finally {
            slow.countDown();
        }
        server.removeContext(JOB);
        objects.put(JOB, object("u1", "u2"));
        objects.put(JOB_SET, jobSet("u2"));
        assertThat(of(owners, "work", pod("ring", "u1")))
                .as("the next pod asks again")
                .isNotNull();
    }

    @Test
    void aJobThatTheApiServerRefusesIsNotTakenForNone() {
        server.createContext(JOB, exchange -> {
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
        });
        assertThatThrownBy(() -> of(owners, "work", pod("ring", "u1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("403");
    }

    @Test
    void aJobSetThatIsGoneIsNotTakenForAnotherOfItsName() throws IOException {
        objects.put(JOB, object("u1", "u2"));
        objects.put(JOB_SET, jobSet("another"));

        assertThat(of(owners, "work", pod("ring", "stale"))).isNull();
        assertThat(of(owners, "work", pod("ring", "u1"))).isNull();
    }

    /** Else its pods would be denied for half a minute after it was mended. */
    @Test
    void aJobThatCannotBeLaunchedIsReadAgainSoon() throws IOException {
        String job = """
            {"spec": {"completions": 7, "parallelism": %d, "completionMode": "Indexed", "template": {}}, "metadata": {"uid": "u1"}}\
            """;
        HandMovedClock clock = new HandMovedClock(Instant.EPOCH);
        owners = new OwnerJobs(new ApiReader(client, 4), clock.steady(), Duration.ofSeconds(30));
        objects.put(JOB, job.formatted(1));
        assertThat(Objects.requireNonNull(of(owners, "work", pod("ring", "u1"))).refusal())
                .contains("parallelism is 1");
        assertThat(requests).as("for all its pods at one time").hasSize(1);

        objects.put(JOB, job.formatted(7));
        clock.move(Duration.ofSeconds(2));
        assertThat(Objects.requireNonNull(of(owners, "work", pod("ring", "u1"))).refusal())
                .isNull();
    }

    /** Its launcher's pod and its workers, which have other controllers, are made at one time when it is resumed. */
    @Test
    void anMpiJobIsReadAgainSoon() throws IOException {
        String mpiJob = """
            {"metadata": {"uid": "u1", "name": "ring"}, "spec": {"mpiReplicaSpecs": {
             "Launcher": {"template": {"metadata": {"annotations": {"fabric-operator.dev/launch": "direct"}}}},
             "Worker": {"replicas": %d, "template": {"metadata": {"annotations": {"fabric-operator.dev/launch": "direct"}}}}}}}\
            """;
        String path = "/apis/kubeflow.org/v2beta1/namespaces/work/mpijobs/ring";
        ObjectNode worker = pod("ring", "u1");
        ((ObjectNode) worker.at("/metadata/ownerReferences/0"))
                .put("apiVersion", "kubeflow.org/v2beta1")
                .put("kind", "MPIJob");
        HandMovedClock clock = new HandMovedClock(Instant.EPOCH);
        owners = new OwnerJobs(new ApiReader(client, 4), clock.steady(), Duration.ofSeconds(30));
        objects.put(path, mpiJob.formatted(2));
        assertThat(Objects.requireNonNull(of(owners, "work", worker)).pods()).isEqualTo(3);

        objects.put(path, mpiJob.formatted(4));
        clock.move(Duration.ofSeconds(2));
        assertThat(Objects.requireNonNull(of(owners, "work", worker)).pods()).isEqualTo(5);
    }

    @Test
    void aVolcanoJobIsReadAtItsOwnPathAndNeverTakenForAJobOfKubernetes() throws IOException {
        objects.put(JOB, object("u1", ""));
        objects.put("/apis/batch.volcano.sh/v1alpha1/namespaces/work/jobs/ring", """
                {"metadata": {"uid": "u1", "name": "ring"}, "spec": {"minAvailable": 5, "policies": [{"event": "*", "action": "RestartJob"}], "tasks": [
                 {"name": "worker", "replicas": 5, "template": {"metadata": {"annotations": {"fabric-operator.dev/launch": "direct"}},
              "spec": {"restartPolicy": "Never"}}}]}}\
            """);
        ObjectNode pod = pod("ring", "u1");
        ((ObjectNode) pod.at("/metadata/ownerReferences/0")).put("apiVersion", "batch.volcano.sh/v1alpha1");

        DirectJob found = Objects.requireNonNull(of(owners, "work", pod));

        assertThat(found.owner().words()).isEqualTo("Volcano Job ring");
        assertThat(found.refusal()).isNull();
        assertThat(found.pods()).isEqualTo(5);
        ((ObjectNode) pod.at("/metadata/ownerReferences/0")).put("apiVersion", "batch.example.org/v1alpha1");
        assertThat(of(owners, "work", pod)).isNull();
        assertThat(requests).containsExactly("/apis/batch.volcano.sh/v1alpha1/namespaces/work/jobs/ring");
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
        assertThat(of(owners, "work", pod(name, "u1"))).isNull();
        assertThat(of(owners, "work", pod("ring", "u".repeat(100_000)))).isNull();
        assertThat(of(owners, "../kube-system", pod("ring", "u1"))).isNull();
        assertThat(requests).isEmpty();
    }
}
