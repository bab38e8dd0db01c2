/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.DisturbedOperator.Disturbance;
import dev.fabricoperator.e2e.operator.DisturbedOperator.EndAfterWrite;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens between any two writes of the controller: in the end the cluster is as it is without that. */
@WithControlPlane(own = true)
class FaultsBetweenWritesTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_NODE_LABELS_ENABLED", "true",
            "FABRIC_OPERATOR_INTEGRATIONS_INTERVAL", "1s",
            "FABRIC_OPERATOR_COALESCING_CREATION_QUIET", "1s",
            "FABRIC_OPERATOR_WRITES_REFUSED_INTERVAL", "2s");
    /** Longer than any pause in which the controller only waits before it writes again. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    /** When some of those are told of the authority who must trust it. */
    private static final int WRITE = 6;

    private final ControlPlane cluster;
    private final KubernetesClient admin;

    @TempDir
    Path directory;

    FaultsBetweenWritesTest(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @BeforeAll
    static void applyAll(ControlPlane cluster, @TempDir Path directory) {
        Manifests.apply(cluster);
        Volcano.find(cluster, directory).ifPresent(Volcano::applyCustomResources);
    }

    /** A controller finds hosts and a dump: certificates, switches, the Fabric, devices and labels of nodes. Returns what it has made of them. */
    private SortedSet<String> readForTheFirstTime(DisturbedOperator controller, Disturbance disturbance) {
        controller.kill();
        createHostsAndDump();
        disturbance.begin(controller);
        controller.start();
        awaitQuiet(controller);
        return EndState.read(admin);
    }

    private DisturbedOperator controller() {
        return new DisturbedOperator(cluster, directory, api -> {
            Map<String, String> all = new HashMap<>(OperatorCase.SETTINGS);
            all.putAll(SETTINGS);
            all.put("FABRIC_OPERATOR_TOPOLOGY_DIRECTORY", directory.toString());
            return OperatorProcess.begin(api, directory, "controller", all);
        });
    }

    private void awaitQuiet(DisturbedOperator controller) {
        AtomicInteger writes = new AtomicInteger(-1);
        Awaitility.await().atMost(LIMIT).pollInterval(QUIET).ignoreExceptions().until(() -> {
            assertThatItHasSettled();
            OperatorProcess present = controller.process();
            return present.isReady()
                    && present.metric("fabric_operator_model_pass_seconds_count") > 0
                    && writes.getAndSet(controller.writes()) == controller.writes();
        });
    }

    private void assertThatItHasSettled() {
        FabricStatus status = status();
        assertThat(status.devices()).isEqualTo(SmallFabric.HOSTS);
        assertThat(status.unmanagedDevices()).isZero();
        assertThat(status.links()).isEqualTo(10);
        assertThat(status.pendingGeneration()).isNull();
        assertThat(status.conditions()).anySatisfy(condition -> {
            assertThat(condition.type()).isEqualTo("Ready");
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
        });
        assertThat(admin.secrets().inNamespace(OperatorProcess.NAMESPACE).list().getItems())
                .hasSize(2);
        assertThat(admin.nodes().list().getItems())
                .hasSize(SmallFabric.HOSTS)
                .allSatisfy(
                        node -> assertThat(node.getMetadata().getLabels()).containsKey("fabric-operator.dev/tier-1"));
    }

    private FabricStatus status() {
        return Objects.requireNonNull(
                admin.resources(Fabric.class).withName("infiniband-0").require().getStatus());
    }

    private void createHostsAndDump() {
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        admin.secrets().inNamespace(OperatorProcess.NAMESPACE).delete();
        admin.resources(Fabric.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(FabricDevice.class).delete();
        admin.nodes().delete();
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admin.resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName("n" + host)
                            .endMetadata()
                            .build())
                    .create();
            admin.resource(SmallFabric.device(host)).create();
        }
        upload(SmallFabric.dump());
    }

    private void upload(String dump) {
        admin.resource(SmallFabric.upload(dump)).createOr(map -> map.update());
    }

    @Test
    void aControllerThatEndsBetweenTwoWritesOfAFirstReadingIsFollowedByOneThatDoesTheRest() {
        try (DisturbedOperator controller = controller()) {
            SortedSet<String> undisturbed = readForTheFirstTime(controller, Disturbance.NONE);
            EndAfterWrite end = new EndAfterWrite(WRITE);
            assertThat(readForTheFirstTime(controller, end)).containsExactlyElementsOf(undisturbed);
            assertThat(end.tookPlace()).isTrue();
        }
    }
}
