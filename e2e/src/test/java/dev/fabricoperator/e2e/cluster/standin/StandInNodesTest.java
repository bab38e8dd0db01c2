/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane(
        own = true,
        needs = {Component.CONTROLLER_MANAGER, Component.SCHEDULER},
        nodeGraceSeconds = 25)
@Tag("long")
class StandInNodesTest {

    /** Notes what was started where; ready at once. */
    private static final class Recorder implements PodRuntime {
        final Map<String, BoundPod> runningByNode = new ConcurrentHashMap<>();

        BoundPod on(String node) {
            return Objects.requireNonNull(runningByNode.get(node), () -> "nothing runs on " + node);
        }

        String uidOn(String node) {
            BoundPod pod = runningByNode.get(node);
            return pod == null ? "" : pod.pod().getMetadata().getUid();
        }

        @Override
        public boolean runs(Pod pod) {
            return "agent".equals(pod.getMetadata().getLabels().get("app"));
        }

        @Override
        public RunningPod start(BoundPod pod) {
            runningByNode.put(pod.node().name(), pod);
            return new RunningPod() {
                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public boolean isAlive() {
                    return true;
                }

                @Override
                public void close() {
                    // Another one may be in its place already.
                    runningByNode.remove(pod.node().name(), pod);
                }
            };
        }
    }

    @Test
    void daemonSetPodsStartWithATokenThatNamesTheirNode(
            Cluster cluster, KubernetesClient client, @ClassNamespace String namespace, @TempDir Path directory)
            throws Exception {
        Recorder recorder = new Recorder();
        try (StandInNodes nodes = new StandInNodes(cluster, recorder, directory)) {
            nodes.join(node("node-a"));
            nodes.join(node("node-b"));
            client.resource(new ServiceAccountBuilder()
                            .withNewMetadata()
                            .withNamespace(namespace)
                            .withName("agent")
                            .endMetadata()
                            .build())
                    .create();
            client.resource(daemonSet(namespace)).create();

            await().atMost(LIMIT).until(() -> readyAgents(client, namespace) == 2);

            assertThat(recorder.runningByNode).containsOnlyKeys("node-a", "node-b");
            assertThat(nodeClaim(client, recorder.on("node-a"))).containsExactly("node-a");
            assertThat(nodeClaim(client, recorder.on("node-b"))).containsExactly("node-b");

            // Deleted: the program ends, the pod goes, and the controller makes another one.
            String first = recorder.uidOn("node-a");
            client.pods()
                    .inNamespace(namespace)
                    .withField("spec.nodeName", "node-a")
                    .delete();
            await().atMost(LIMIT)
                    .until(() -> !recorder.uidOn("node-a").isEmpty()
                            && !recorder.uidOn("node-a").equals(first));

            // Silent: NotReady after the grace, and its program is gone.
            nodes.loseContact("node-b");
            await().atMost(LIMIT).until(() -> "Unknown".equals(readyStatus(client, "node-b")));
            assertThat(recorder.runningByNode).containsOnlyKeys("node-a");
            nodes.regainContact("node-b");
            await().atMost(LIMIT)
                    .until(() -> "True".equals(readyStatus(client, "node-b"))
                            && recorder.runningByNode.containsKey("node-b"));

            nodes.leave("node-b");
            await().atMost(LIMIT)
                    .until(() -> readyAgents(client, namespace) == 1 && !recorder.runningByNode.containsKey("node-b"));
        }
        assertThat(recorder.runningByNode).isEmpty();
    }

    @Test
    void podsGoOnWhileTheApiServerIsAway(ControlPlane controlPlane, @TempDir Path directory) {
        Recorder recorder = new Recorder();
        KubernetesClient client = controlPlane.admin();
        try (StandInNodes nodes = new StandInNodes(controlPlane, recorder, directory)) {
            nodes.join(node("node-c"));
            controlPlane.restartApiServer();
            nodes.join(node("node-d"));
            await().atMost(LIMIT)
                    .until(() -> "True".equals(readyStatus(client, "node-c"))
                            && "True".equals(readyStatus(client, "node-d")));
            nodes.leave("node-c");
            nodes.leave("node-d");
        }
    }

    private static @Nullable List<String> nodeClaim(KubernetesClient client, BoundPod pod) throws Exception {
        var review = client.resource(new TokenReviewBuilder()
                        .withNewSpec()
                        .withToken(Files.readString(pod.tokenFile()))
                        .endSpec()
                        .build())
                .create();
        return review.getStatus().getUser().getExtra().get("authentication.kubernetes.io/node-name");
    }

    private static int readyAgents(KubernetesClient client, String namespace) {
        DaemonSet set = client.apps()
                .daemonSets()
                .inNamespace(namespace)
                .withName("agent")
                .get();
        return set.getStatus() == null || set.getStatus().getNumberReady() == null
                ? 0
                : set.getStatus().getNumberReady();
    }

    private static String readyStatus(KubernetesClient client, String node) {
        return client.nodes().withName(node).get().getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("Ready"))
                .map(condition -> condition.getStatus())
                .findFirst()
                .orElse("none");
    }

    private static NodeSpec node(String name) {
        return new NodeSpec(
                name, Path.of("/"), "10.200.0." + name.charAt(name.length() - 1) % 100, Map.of("test", "stand-in"));
    }

    private static DaemonSet daemonSet(String namespace) {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("agent")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", "agent")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "agent")
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName("agent")
                .addNewContainer()
                .withName("agent")
                .withImage("none.invalid/agent:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
