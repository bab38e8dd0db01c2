/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.extender;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.IntegrationCase;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SchedulerProcess;
import dev.fabricoperator.e2e.operator.TrustingAnybody;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Where kube-scheduler puts the pods of Jobs when it asks the operator, and when it cannot. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER, nodeGraceSeconds = 3600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SchedulerExtenderTest extends IntegrationCase {
    private static final int EXTENDER_PORT = Ports.free();

    private static @Nullable OperatorProcess controller;
    private static @Nullable OperatorProcess server;
    private static @Nullable ServerProcess scheduler;

    private final String namespace;

    SchedulerExtenderTest(ControlPlane cluster, @ClassNamespace String namespace) {
        super(cluster);
        this.namespace = namespace;
    }

    @BeforeAll
    static void start(ControlPlane cluster, @ClassNamespace String namespace, @TempDir Path directory)
            throws IOException {
        Command.kubectl(cluster)
                .run(
                        "apply",
                        "--server-side",
                        "-f",
                        ProjectRoot.find().resolve("config/extender/rbac.yaml").toString());
        createFabric(cluster);
        OperatorProcess started = startOperator(cluster, directory, Map.of());
        controller = started;
        // A server that is ready later serves this.
        eventually(() -> {
            Fabric fabric =
                    cluster.admin().resources(Fabric.class).withName(FABRIC).require();
            assertThat(Objects.requireNonNull(fabric.getStatus()).costMatrix()).isNotNull();
            assertThat(started.metric("fabric_operator_status_writes_pending")).isZero();
        });
        server = OperatorProcess.start(
                cluster,
                directory,
                "server",
                OperatorProcess.BRIEF,
                Map.of(
                        "FABRIC_OPERATOR_EXTENDER_ENABLED", "true",
                        "FABRIC_OPERATOR_EXTENDER_HOST", "127.0.0.1",
                        "FABRIC_OPERATOR_EXTENDER_PORT", Integer.toString(EXTENDER_PORT)));
        // Of the second leaf two nodes are free, of the others three.
        cluster.admin()
                .pods()
                .inNamespace(namespace)
                .resource(Volcano.boundPod("busy", TreeFabric.nodeName(3)))
                .create();
        scheduler = SchedulerProcess.start(cluster, directory, EXTENDER_PORT);
    }

    @AfterAll
    static void stop() {
        if (scheduler != null) {
            scheduler.close();
        }
        if (server != null) {
            server.close();
        }
        if (controller != null) {
            controller.close();
        }
    }

    @Test
    @Order(1)
    void onlyTheSchedulerIsAnswered(@TempDir Path directory) throws Exception {
        Path kubeconfig = directory.resolve("kubeconfig");
        // Before it knows which authority signs the scheduler's certificate it is not ready to say so.
        eventually(() -> assertThat(status(null)).as("nobody").isEqualTo(403));
        cluster.writeKubeconfig(kubeconfig, "system:node:node-0000", "system:nodes");
        assertThat(status(kubeconfig)).as("another name").isEqualTo(403);
        cluster.writeForeignKubeconfig(kubeconfig, "system:kube-scheduler");
        assertThat(status(kubeconfig)).as("another authority").isEqualTo(403);
        cluster.writeKubeconfig(kubeconfig, "system:kube-scheduler", null);
        assertThat(status(kubeconfig)).as("the scheduler, without a pod").isEqualTo(400);
        assertThat(Objects.requireNonNull(server).metric("fabric_operator_extender_seconds_count", "stranger"))
                .isEqualTo(3);
    }

    /** @param kubeconfig of the client, {@code null} for one without a certificate */
    private static int status(@Nullable Path kubeconfig) throws Exception {
        KeyManager[] own = null;
        if (kubeconfig != null) {
            Config config = Config.fromKubeconfig(kubeconfig.toFile());
            own = SSLUtils.keyManagers(
                    config.getClientCertData(), null, config.getClientKeyData(), null, "RSA", "", null, null);
        }
        try (HttpClient http =
                HttpClient.newBuilder().sslContext(TrustingAnybody.context(own)).build()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + EXTENDER_PORT + "/prioritize"))
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"NodeNames\": [\"node-0000\"]}"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    @Order(2)
    void aJobEndsInTheTightestLeafThatHasRoomForAllOfIt() {
        create("two", 2);
        assertThat(nodesOf("two", 2)).containsExactly(4, 5);
    }

    @Test
    @Order(3)
    void aJobThatNoLeafHasRoomForStaysInThePodWithFewerFreeNodes() {
        create("five", 5);
        assertThat(nodesOf("five", 5)).allMatch(node -> node < 9);
        assertThat(Objects.requireNonNull(server).metric("fabric_operator_extender_seconds_count", "answered"))
                .isGreaterThanOrEqualTo(7);
    }

    @Test
    @Order(4)
    void withoutTheExtenderPodsAreScheduledAllTheSame() {
        Objects.requireNonNull(server).kill();
        create("alone", 3);
        assertThat(nodesOf("alone", 3)).hasSize(3);
    }

    private void create(String name, int pods) {
        admin.resource(new JobBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withParallelism(pods)
                        .withCompletions(pods)
                        .withCompletionMode("Indexed")
                        .withNewTemplate()
                        .withNewSpec()
                        .withRestartPolicy("Never")
                        .addNewContainer()
                        .withName("rank")
                        .withImage("none")
                        .withNewResources()
                        .addToRequests("cpu", new Quantity("3"))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    /** Ascending, once all have one. */
    private List<Integer> nodesOf(String job, int pods) {
        eventually(() -> assertThat(nodesOf(job))
                .as(() -> Objects.requireNonNull(scheduler).logTail())
                .hasSize(pods));
        return nodesOf(job);
    }

    private List<Integer> nodesOf(String job) {
        return admin
                .pods()
                .inNamespace(namespace)
                .withLabel("batch.kubernetes.io/job-name", job)
                .list()
                .getItems()
                .stream()
                .map(pod -> pod.getSpec().getNodeName())
                .filter(Objects::nonNull)
                .map(TreeFabric::number)
                .sorted()
                .toList();
    }
}
