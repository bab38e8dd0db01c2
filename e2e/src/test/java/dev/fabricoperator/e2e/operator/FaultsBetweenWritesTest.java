/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
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
import dev.fabricoperator.e2e.operator.DisturbedOperator.FaultyAnswers;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FrozenWatches;
import dev.fabricoperator.e2e.operator.DisturbedOperator.RefusedOnce;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
    private static final long SEED = 37;
    private static final int LONG_MINUTES = 40;
    private static final int MOST_WRITES = 300;

    private final Map<Scenario, SortedSet<String>> undisturbed = new EnumMap<>(Scenario.class);
    private final Map<Scenario, Integer> undisturbedWrites = new EnumMap<>(Scenario.class);
    private ControlPlane cluster;
    private KubernetesClient admin;
    private DisturbedOperator controller;

    @TempDir
    static Path directory;

    @BeforeAll
    void start(ControlPlane own) {
        cluster = own;
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
        },
        CABLE_LOST_AND_BACK {
            @Override
            void happen(FaultsBetweenWritesTest test, Runnable meanwhile) {
                test.upload(SmallFabric.dumpWithoutTheSecondUplink());
                meanwhile.run();
                eventually(() -> assertThat(test.status().links()).isEqualTo(9));
                test.upload(SmallFabric.dump());
            }
        },
        NODE_REPLACED {
            @Override
            void happen(FaultsBetweenWritesTest test, Runnable meanwhile) {
                String guid = "00000000000000e8";
                var before = test.status().generation();
                test.replace(SmallFabric.device(
                        SmallFabric.deviceName(8), "n8", guid, "fe80:0000:0000:0000:0000:0000:0000:00e8"));
                test.upload(SmallFabric.dump().replace(SmallFabric.guid(8), guid));
                meanwhile.run();
                eventually(() -> {
                    assertThat(test.status().generation()).isNotEqualTo(before);
                    test.assertThatItHasSettled();
                });
                test.replace(SmallFabric.device(8));
                test.upload(SmallFabric.dump());
            }
        },
        /** The objects of the installation are applied anew, and another process follows. */
        UPGRADED {
            @Override
            void happen(FaultsBetweenWritesTest test, Runnable meanwhile) {
                test.controller.terminate();
                Manifests.apply(test.cluster);
                test.controller.start();
                meanwhile.run();
            }
        },
        CERTIFICATE_RENEWED {
            @Override
            void happen(FaultsBetweenWritesTest test, Runnable meanwhile) {
                test.admin.secrets().inNamespace(OperatorProcess.NAMESPACE).delete();
                meanwhile.run();
            }
        };

        /** @param meanwhile to be done when the first has happened */
        abstract void happen(FaultsBetweenWritesTest test, Runnable meanwhile);
    }

    /**
     * @param expected {@code null} where that is not known yet
     * @return writes from the beginning of what happens to the end
     */
    private int run(Scenario scenario, Disturbance disturbance, @Nullable SortedSet<String> expected) {
        if (scenario == Scenario.SOURCE_READ_FIRST) {
            controller.kill();
            createHostsAndDump();
        } else if (!EndState.read(admin).equals(undisturbed(Scenario.SOURCE_READ_FIRST))) {
            run(Scenario.SOURCE_READ_FIRST, Disturbance.NONE, undisturbed(Scenario.SOURCE_READ_FIRST));
        }
        int before = controller.writes();
        disturbance.begin(controller);
        if (scenario == Scenario.SOURCE_READ_FIRST) {
            controller.start();
        }
        scenario.happen(this, () -> disturbance.meanwhile(controller));
        try {
            awaitQuiet(expected);
        } finally {
            controller.leaveInPeace();
        }
        return controller.writes() - before;
    }

    private SortedSet<String> undisturbed(Scenario scenario) {
        SortedSet<String> known = undisturbed.get(scenario);
        if (known == null) {
            undisturbedWrites.put(scenario, run(scenario, Disturbance.NONE, null));
            known = EndState.read(admin);
            undisturbed.put(scenario, known);
        }
        return known;
    }

    /** What has failed is tried again after ever longer pauses, so that a controller which writes nothing need not be at the end. */
    private void awaitQuiet(@Nullable SortedSet<String> expected) {
        AtomicInteger writes = new AtomicInteger(-1);
        Awaitility.await().atMost(LIMIT).pollInterval(QUIET).ignoreExceptions().untilAsserted(() -> {
            assertThatItHasSettled();
            OperatorProcess present = controller.process();
            assertThat(present.isReady()).isTrue();
            assertThat(present.metric("fabric_operator_model_pass_seconds_count"))
                    .isPositive();
            if (expected != null) {
                assertThat(EndState.read(admin)).containsExactlyElementsOf(expected);
            }
            assertThat(writes.getAndSet(controller.writes())).isEqualTo(controller.writes());
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

    private void replace(FabricDevice device) {
        admin.resource(device).delete();
        admin.resource(device).create();
    }

    private void assertThatTheEndIsTheSame(Scenario scenario, List<? extends Disturbance> disturbances) {
        int number = 0;
        for (Disturbance disturbance : disturbances) {
            System.out.printf("%s, disturbance %d of %d%n", scenario, ++number, disturbances.size());
            play(scenario, disturbance);
            assertThat(disturbance.tookPlace())
                    .as("%s, %s", scenario, disturbance)
                    .isTrue();
        }
    }

    private void play(Scenario scenario, Disturbance disturbance) {
        SortedSet<String> expected = undisturbed(scenario);
        System.out.println(scenario + ", " + disturbance);
        run(scenario, disturbance, expected);
    }

    @Test
    void aControllerThatEndsBetweenTwoWritesOfAFirstReadingIsFollowedByOneThatDoesTheRest() {
        assertThatTheEndIsTheSame(Scenario.SOURCE_READ_FIRST, List.of(new EndAfterWrite(WRITE)));
    }

    /** Neither the number in its name nor its index: the controller ends when it has kept either, or the Fabric is refused for once. */
    @Test
    void noNumberOfAFabricIsSkipped() {
        assertThatTheEndIsTheSame(
                Scenario.SOURCE_READ_FIRST, List.of(new EndAfterWrite(NUMBERS, 2), new RefusedOnce(FABRICS)));
    }

    @Test
    void aCableThatIsLostAndBackLeavesNothingWhateverTheApiServerAnswers() {
        assertThatTheEndIsTheSame(
                Scenario.CABLE_LOST_AND_BACK,
                List.of(
                        new FaultyAnswers(SEED),
                        new FrozenWatches(Duration.ofSeconds(1), true),
                        new EndAfterWrite(1 + new Random(SEED).nextInt(5))));
    }

    /** All, or the one of {@code -Dfaults.scenario=NAME}. */
    static List<Scenario> scenarios() {
        String only = System.getProperty("faults.scenario");
        return only == null ? List.of(Scenario.values()) : List.of(Scenario.valueOf(only));
    }

    /** {@code -Dfaults.from=N} begins with the Nth, where an earlier run was stopped. */
    @Tag("long")
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @MethodSource("scenarios")
    void theEndIsTheSameAfterEveryWrite(Scenario scenario) {
        undisturbed(scenario);
        int writes = Objects.requireNonNull(undisturbedWrites.get(scenario));
        int from = Integer.getInteger("faults.from", 1);
        int n = from;
        for (boolean ended = true; ended; n++) {
            assertThat(n).as("writes of %s, without an end", scenario).isLessThan(MOST_WRITES);
            System.out.printf("%s, write %d of some %d%n", scenario, n, writes);
            EndAfterWrite end = new EndAfterWrite(n);
            play(scenario, end);
            ended = end.tookPlace();
        }
        int played = n - 1 - from;
        System.out.printf(
                "%s: ended after each write from %d to %d, %d in all; %d where nothing disturbs%n",
                scenario, from, n - 2, played, writes);
        assertThat(played)
                .as("writes of %s after which it was ended", scenario)
                .isGreaterThanOrEqualTo(Math.min(1, writes));
    }

    /** {@code -Dfaults.seed=N} plays one again. */
    @Tag("long")
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @MethodSource("scenarios")
    void theEndIsTheSameWhateverTheApiServerAnswers(Scenario scenario) {
        long seed = Long.getLong("faults.seed", new Random().nextLong());
        System.out.println(scenario + ", -Dfaults.seed=" + seed);
        Random random = new Random(seed);
        List<Disturbance> disturbances = new ArrayList<>();
        for (boolean expire : List.of(false, true)) {
            disturbances.add(new FrozenWatches(Duration.ofSeconds(1), expire));
            disturbances.add(new FrozenWatches(Duration.ofSeconds(1 + random.nextInt(60)), expire));
        }
        for (int i = 0; i < 5; i++) {
            disturbances.add(new FaultyAnswers(random.nextLong()));
        }
        assertThatTheEndIsTheSame(scenario, disturbances);
        System.out.printf(
                "%s: the same end after %d disturbances, -Dfaults.seed=%d%n", scenario, disturbances.size(), seed);
    }
}
