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
import dev.fabricoperator.e2e.operator.DisturbedOperator.RefusedOnce;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens between any two writes of the controller: in the end the cluster is as it is without that. */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsBetweenWritesTest {
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_NODE_LABELS_ENABLED", "true",
            "FABRIC_OPERATOR_INTEGRATIONS_INTERVAL", "1s",
            "FABRIC_OPERATOR_COALESCING_CREATION_QUIET", "1s",
            "FABRIC_OPERATOR_WRITES_REFUSED_INTERVAL", "2s");
    /** Longer than any pause in which the controller only waits before it writes again. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    /** The authority and its certificate are made; some of those who must trust it are told, others not. */
    private static final int WRITE = 6;

    private static final String NUMBERS = "/configmaps/fabric-operator-numbers";
    private static final String FABRICS = "/fabrics";

    private final Map<Scenario, SortedSet<String>> undisturbed = new EnumMap<>(Scenario.class);
    private KubernetesClient admin;
    private DisturbedOperator controller;

    @TempDir
    static Path directory;

    @BeforeAll
    void start(ControlPlane cluster) {
        admin = cluster.admin();
        Manifests.apply(cluster);
        Volcano.find(cluster, directory).ifPresent(Volcano::applyCustomResources);
        controller = new DisturbedOperator(cluster, directory, api -> {
            Map<String, String> all = new HashMap<>(OperatorCase.SETTINGS);
            all.putAll(SETTINGS);
            all.put("FABRIC_OPERATOR_TOPOLOGY_DIRECTORY", directory.toString());
            return OperatorProcess.begin(api, directory, "controller", all);
        });
    }

    @AfterAll
    void stop() {
        controller.close();
    }

    /** Something that happens while the controller runs, and ends with the cluster as it was before. */
    private enum Scenario {
        /** All that a controller has to do which finds hosts and a dump, from its certificates to the labels of nodes. */
        SOURCE_READ_FIRST {
            @Override
            void happen(FaultsBetweenWritesTest test, Runnable meanwhile) {
                meanwhile.run();
            }
        };

        /** @param meanwhile to be done when the first has happened */
        abstract void happen(FaultsBetweenWritesTest test, Runnable meanwhile);
    }

    private SortedSet<String> run(Scenario scenario, Disturbance disturbance) {
        if (scenario == Scenario.SOURCE_READ_FIRST) {
            controller.kill();
            createHostsAndDump();
        } else if (!EndState.read(admin).equals(undisturbed(Scenario.SOURCE_READ_FIRST))) {
            run(Scenario.SOURCE_READ_FIRST, Disturbance.NONE);
        }
        disturbance.begin(controller);
        if (scenario == Scenario.SOURCE_READ_FIRST) {
            controller.start();
        }
        scenario.happen(this, () -> disturbance.meanwhile(controller));
        awaitQuiet();
        controller.leaveInPeace();
        return EndState.read(admin);
    }

    private SortedSet<String> undisturbed(Scenario scenario) {
        SortedSet<String> known = undisturbed.get(scenario);
        if (known == null) {
            known = run(scenario, Disturbance.NONE);
            undisturbed.put(scenario, known);
        }
        return known;
    }

    private void awaitQuiet() {
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

    private void assertThatTheEndIsTheSame(Scenario scenario, List<? extends Disturbance> disturbances) {
        for (Disturbance disturbance : disturbances) {
            SortedSet<String> expected = undisturbed(scenario);
            assertThat(run(scenario, disturbance))
                    .as("%s, %s", scenario, disturbance)
                    .containsExactlyElementsOf(expected);
            assertThat(disturbance.tookPlace())
                    .as("%s, %s", scenario, disturbance)
                    .isTrue();
        }
    }

    @Test
    void aControllerThatEndsBetweenTwoWritesOfAFirstReadingIsFollowedByOneThatDoesTheRest() {
        assertThatTheEndIsTheSame(Scenario.SOURCE_READ_FIRST, List.of(new EndAfterWrite(WRITE)));
    }

    /** Neither the number in its name nor its index: the controller ends when it has kept either, or the Fabric is refused for once. */
    @Test
    void noNumberOfAFabricIsSkipped() {
        assertThatTheEndIsTheSame(
                Scenario.SOURCE_READ_FIRST,
                List.of(new EndAfterWrite(NUMBERS, 1), new EndAfterWrite(NUMBERS, 2), new RefusedOnce(FABRICS)));
    }
}
