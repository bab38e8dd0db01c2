/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.kueue;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.job.JobCase;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.job.PodSide;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.IntegrationCase;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import dev.fabricoperator.protocol.job.JobMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The Topology of the fabric, and where Kueue puts Jobs by it. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KueueTest extends IntegrationCase {
    private static final String QUEUE = "tas";
    private static final String TIER = "fabric-operator.dev/tier-";
    private static final String REQUIRED = "kueue.x-k8s.io/podset-required-topology";
    private static final String PREFERRED = "kueue.x-k8s.io/podset-preferred-topology";
    private static final String CONDITION = "KueueTopologyCurrent";

    private static final Map<String, String> SETTINGS = Map.of("FABRIC_OPERATOR_WRITES_REFUSED_INTERVAL", "5s");

    private static @Nullable Kueue kueue;
    private static @Nullable OperatorProcess operator;

    private final String namespace;

    KueueTest(ControlPlane cluster, @ClassNamespace String namespace) {
        super(cluster);
        this.namespace = namespace;
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @TempDir Path directory) {
        kueue = Kueue.find(cluster, directory).orElse(null);
        Assumptions.assumeTrue(kueue != null, "no Kueue: run \"make setup\"");
        createFabric(cluster);
        operator = startOperator(cluster, directory, SETTINGS);
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.kill();
        }
        if (kueue != null) {
            kueue.close();
        }
    }

    private static Kueue kueue() {
        return Objects.requireNonNull(kueue);
    }

    private static OperatorProcess operator() {
        return Objects.requireNonNull(operator);
    }

    @Test
    @Order(1)
    void labelsAndATopologyAppearWhenTheApiServerKnowsKueue() {
        eventually(() -> assertThat(condition("Ready")).isNotNull());
        assertThat(operator().metric(WRITES)).isZero();
        kueue().applyCustomResources();
        eventually(() -> {
            assertThat(admin.nodes().withLabel(TIER + 1).list().getItems()).hasSize(TREE.nodes());
            assertThat(kueue().topologies()).containsOnlyKeys(FABRIC);
        });
        GenericKubernetesResource topology = topology();
        assertThat(topology.getMetadata().getLabels())
                .containsEntry("app.kubernetes.io/managed-by", "fabric-operator")
                .containsEntry("fabric-operator.dev/fabric", FABRIC);
        assertThat(levels(topology)).containsExactly(TIER + 3, TIER + 2, TIER + 1, "kubernetes.io/hostname");
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.reason()).isEqualTo("Written");
            assertThat(condition.message()).contains(TIER + 1);
        }));
        eventually(() -> assertThat(condition("NodeLabelsCurrent"))
                .satisfies(condition -> assertThat(condition.message()).startsWith("18 nodes have labels")));
    }

    @Test
    @Order(2)
    void nothingIsWrittenWhileNothingChanges() {
        Map<String, String> before = versions();
        double writes = operator().metric(WRITES);
        assertThat(written(operator())).isEqualTo(19);
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        pause();
        assertThat(versions()).isEqualTo(before);
        assertThat(operator().metric(WRITES)).isEqualTo(writes);
    }

    @Test
    @Order(3)
    void aTopologyWithOtherLevelsIsLeftAsItIsAndTold() {
        // As it would be if the fabric had had two tiers when it was made.
        GenericKubernetesResource old = new GenericKubernetesResourceBuilder()
                .withApiVersion("kueue.x-k8s.io/v1beta2")
                .withKind("Topology")
                .withNewMetadata()
                .withName(FABRIC)
                .addToLabels("app.kubernetes.io/managed-by", "fabric-operator")
                .addToLabels("fabric-operator.dev/fabric", FABRIC)
                .endMetadata()
                .addToAdditionalProperties("spec", Map.of("levels", List.of(Map.of("nodeLabel", TIER + 1))))
                .build();
        operator().terminate();
        admin.resource(topology()).delete();
        admin.resource(old).create();
        operator = startOperator(cluster, directoryOf(), SETTINGS);
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.reason()).isEqualTo("CannotChange");
            assertThat(condition.message()).contains("Topology " + FABRIC + " is out of date");
        }));
        assertThat(levels(topology())).containsExactly(TIER + 1);
        admin.resource(topology()).delete();
        eventually(() -> assertThat(levels(topology())).hasSize(4));
        awaitReason("Written");
    }

    @Test
    @Order(4)
    void aJobThatRequiresALeafLandsInOneAndTheNextInAnother() {
        kueue().start();
        kueue().createQueue(namespace, QUEUE, FABRIC, FABRIC);
        kueue().createJob(namespace, "first", QUEUE, 3, REQUIRED, TIER + 1);
        kueue().createJob(namespace, "second", QUEUE, 3, REQUIRED, TIER + 1);
        for (String job : List.of("first", "second")) {
            awaitNodes(job, 3);
            assertThat(leavesOf(job)).hasSize(1);
        }
        assertThat(leavesOf("first")).isNotEqualTo(leavesOf("second"));
        awaitSuspended("first", false);
        delete("first", "second");
    }

    @Test
    @Order(5)
    void aJobThatFitsNoLeafIsPlacedInAPodWhereALeafIsOnlyPreferred() {
        kueue().createJob(namespace, "large", QUEUE, 5, PREFERRED, TIER + 1);
        awaitNodes("large", 5);
        assertThat(leavesOf("large").stream()
                        .map(leaf -> leaf / TREE.leavesOfAPod())
                        .distinct())
                .hasSize(1);
        delete("large");
    }

    /** The Job controller's part and the kubelets' are played. */
    @Test
    @Order(6)
    void aJobIsLaunchedDirectlyEachTimeThatItIsAdmitted() throws Exception {
        PlayedJobs.createServiceAccount(admin, namespace);
        try (JobCase launches =
                new JobCase(cluster, Files.createDirectory(directoryOf().resolve("launches")))) {
            URI service = launches.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "1s"))
                    .jobs();
            Job job = admin.resource(new JobBuilder(PlayedJobs.job(namespace, "direct", 2, Map.of()))
                            .editMetadata()
                            .addToLabels("kueue.x-k8s.io/queue-name", QUEUE)
                            .endMetadata()
                            .editSpec()
                            .withSuspend(true)
                            .editTemplate()
                            .editMetadata()
                            .addToAnnotations(REQUIRED, TIER + 1)
                            .endMetadata()
                            .editSpec()
                            .addNewToleration()
                            .withOperator("Exists")
                            .endToleration()
                            .editFirstContainer()
                            .withNewResources()
                            .addToRequests("cpu", new Quantity("3"))
                            .endResources()
                            .endContainer()
                            .endSpec()
                            .endTemplate()
                            .endSpec()
                            .build())
                    .create();
            for (int attempt = 0; attempt < 2; attempt++) {
                awaitSuspended("direct", false);
                Pod first = admin.resource(PlayedJobs.podOf(job, 0).build()).create();
                Pod second = admin.resource(PlayedJobs.podOf(job, 1).build()).create();
                var waiting = launches.side(service, first).joinUntilAnswered(report(0, attempt, -1, 1));
                JobMap map =
                        PodSide.map(now(launches.side(service, second).joinUntilAnswered(report(1, attempt, -1, 1))));
                assertThat(map.nspace()).endsWith("-" + attempt);
                now(waiting);

                kueue().stopQueue(QUEUE, true);
                awaitSuspended("direct", true);
                admin.resource(first).withGracePeriod(0).delete();
                admin.resource(second).withGracePeriod(0).delete();
                kueue().stopQueue(QUEUE, false);
            }
        }
        delete("direct");
    }

    private void awaitSuspended(String job, boolean suspended) {
        eventually(() -> assertThat(admin.batch()
                        .v1()
                        .jobs()
                        .inNamespace(namespace)
                        .withName(job)
                        .require()
                        .getSpec()
                        .getSuspend())
                .isEqualTo(suspended));
    }

    @Test
    @Order(7)
    void aJobThatFitsNoLeafWaitsUntilOneIsCabledWithMore() {
        kueue().createJob(namespace, "four", QUEUE, 4, REQUIRED, TIER + 1);
        pause();
        assertThat(kueue().nodesOf(namespace, "four")).isEmpty();
        moveNodeThreeFromLeafOneToLeafZero();
        awaitNodes("four", 4);
        assertThat(kueue().nodesOf(namespace, "four"))
                .containsExactly("node-0000", "node-0001", "node-0002", "node-0003");
        delete("four");
    }

    @Test
    @Order(8)
    void aTierLessLeavesWhatRunsAndAdmitsNothingUntilTheTopologyIsMadeAnew() {
        kueue().createJob(namespace, "before", QUEUE, 2, REQUIRED, TIER + 1);
        awaitNodes("before", 2);
        // A tree that only loses switches, however many, keeps its levels: the cables are awaited back.
        replaceSwitches(TREE.firstPodRebuilt());
        awaitReason("CannotChange");
        assertThat(levels(topology())).containsExactly(TIER + 3, TIER + 2, TIER + 1, "kubernetes.io/hostname");
        eventually(() ->
                assertThat(admin.nodes().withLabel(TIER + 3).list().getItems()).isEmpty());
        kueue().createJob(namespace, "after", QUEUE, 2, REQUIRED, TIER + 1);
        pause();
        assertThat(kueue().nodesOf(namespace, "before")).hasSize(2);
        assertThat(kueue().nodesOf(namespace, "after")).isEmpty();
        delete("before", "after");

        kueue().deleteQueue(namespace, QUEUE);
        eventually(() -> assertThat(kueue().hasQueue(QUEUE)).isFalse());
        admin.resource(topology()).delete();
        eventually(() -> assertThat(levels(topology())).containsExactly(TIER + 2, TIER + 1, "kubernetes.io/hostname"));
        awaitReason("Written");
        kueue().createQueue(namespace, QUEUE, FABRIC, FABRIC);
        kueue().createJob(namespace, "after", QUEUE, 2, REQUIRED, TIER + 1);
        awaitNodes("after", 2);
    }

    /** The Job of the test before runs on. */
    @Test
    @Order(9)
    void aTierMoreLeavesWhatRunsAndAdmitsWhatAsksForTheTiersThatThereWere() {
        List<String> nodes = kueue().nodesOf(namespace, "after");
        replaceSwitches(TREE.switchObjects());
        awaitReason("CannotChange");
        assertThat(levels(topology())).containsExactly(TIER + 2, TIER + 1, "kubernetes.io/hostname");
        eventually(() ->
                assertThat(admin.nodes().withLabel(TIER + 3).list().getItems()).hasSize(TREE.nodes()));
        kueue().createJob(namespace, "pod", QUEUE, 9, REQUIRED, TIER + 2);
        awaitNodes("pod", 9);
        assertThat(kueue().nodesOf(namespace, "pod"))
                .as("those that have come")
                .containsExactlyElementsOf(
                        IntStream.range(9, 18).mapToObj(TreeFabric::nodeName).toList());
        assertThat(kueue().nodesOf(namespace, "after")).isEqualTo(nodes);
        delete("pod");
        kueue().createJob(namespace, "whole", QUEUE, 2, REQUIRED, TIER + 3);
        eventually(() -> assertThat(kueue().statuses(namespace)).contains("does not contain the requested level"));
        delete("whole");
    }

    /** The manager keeps the levels that it has read until it starts anew; that of 0.20 takes the new ones, and is not tried here. */
    @Test
    @Order(10)
    void aKueueThatLetsLevelsBeChangedGetsThem() {
        List<String> nodes = kueue().nodesOf(namespace, "after");
        kueue().letLevelsBeChanged();
        eventually(() ->
                assertThat(levels(topology())).containsExactly(TIER + 3, TIER + 2, TIER + 1, "kubernetes.io/hostname"));
        awaitReason("Written");
        assertThat(kueue().nodesOf(namespace, "after")).isEqualTo(nodes);
        delete("after");
    }

    @Test
    @Order(11)
    void switchingOffTakesLabelsAndTopologyAway() {
        operator().terminate();
        operator = startOperator(cluster, directoryOf(), Map.of("FABRIC_OPERATOR_NODE_LABELS_ENABLED", "false"));
        eventually(() -> assertThat(admin.nodes().list().getItems())
                .allSatisfy(node -> assertThat(node.getMetadata().getLabels().keySet())
                        .noneMatch(key -> key.startsWith("fabric-operator.dev/"))));
        // Kueue holds a Topology that a ResourceFlavor names.
        eventually(() ->
                assertThat(topology().getMetadata().getDeletionTimestamp()).isNotNull());
        // Of 18 nodes and one Topology. What is written is seen before its writer has the answer and counts it.
        eventually(() -> assertThat(written(operator())).isEqualTo(19));
        pause();
        assertThat(written(operator())).isEqualTo(19);
        eventually(() -> {
            assertThat(condition(CONDITION)).isNull();
            assertThat(condition("NodeLabelsCurrent")).isNull();
        });
        kueue().deleteQueue(namespace, QUEUE);
        eventually(() -> assertThat(kueue().topologies()).isEmpty());
    }

    private void replaceSwitches(List<FabricSwitch> switches) {
        Set<String> kept =
                switches.stream().map(each -> each.getMetadata().getName()).collect(Collectors.toSet());
        admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(each -> !kept.contains(each.getMetadata().getName()))
                .forEach(each -> admin.resource(each).delete());
        put(switches);
    }

    private void put(List<FabricSwitch> switches) {
        for (FabricSwitch each : switches) {
            eventually(() -> {
                FabricSwitch present = admin.resources(FabricSwitch.class)
                        .withName(each.getMetadata().getName())
                        .get();
                if (present == null) {
                    admin.resource(each).create();
                } else {
                    admin.resources(FabricSwitch.class)
                            .withName(each.getMetadata().getName())
                            .edit(object -> {
                                object.setSpec(each.getSpec());
                                return object;
                            });
                }
            });
        }
    }

    private void awaitReason(String reason) {
        eventually(() -> assertThat(Objects.requireNonNull(condition(CONDITION)).reason())
                .isEqualTo(reason));
    }

    private Path directoryOf() {
        return kueue().directory();
    }

    private void delete(String... jobs) {
        for (String job : jobs) {
            kueue().delete(namespace, job);
        }
        eventually(() -> assertThat(List.of(jobs)).noneMatch(job -> kueue().hasWorkload(namespace, job)));
    }

    private void awaitNodes(String job, int nodes) {
        try {
            eventually(() -> assertThat(kueue().nodesOf(namespace, job)).hasSize(nodes));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not admitted: " + kueue().statuses(namespace) + "\n" + kueue().log(), e);
        }
    }

    private Set<Integer> leavesOf(String job) {
        return kueue().nodesOf(namespace, job).stream()
                .map(node -> TREE.leafOf(TreeFabric.number(node)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private GenericKubernetesResource topology() {
        return Objects.requireNonNull(kueue().topologies().get(FABRIC));
    }

    private static List<String> levels(GenericKubernetesResource topology) {
        List<?> levels = topology.get("spec", "levels");
        return Objects.requireNonNull(levels).stream()
                .map(level -> String.valueOf(((Map<?, ?>) level).get("nodeLabel")))
                .toList();
    }

    /** Of Nodes and Topologies. */
    private Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>(nodeVersions());
        kueue().topologies()
                .forEach((name, object) ->
                        versions.put(name, object.getMetadata().getResourceVersion()));
        return versions;
    }
}
