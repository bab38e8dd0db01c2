/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.kueue;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
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

/** The Topology of a fabric of two pods, three leaves each and three nodes below each leaf, and where Kueue puts Jobs by it. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KueueTest {
    private static final TreeFabric TREE = new TreeFabric(2, 3, 3);
    private static final String FABRIC = "infiniband-0";
    private static final String QUEUE = "tas";
    private static final String TIER = "fabric-operator.dev/tier-";
    private static final String REQUIRED = "kueue.x-k8s.io/podset-required-topology";
    private static final String PREFERRED = "kueue.x-k8s.io/podset-preferred-topology";
    private static final String WRITES = "fabric_operator_integration_writes_total";
    private static final String CONDITION = "KueueTopologyCurrent";
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_INTEGRATIONS_INTERVAL", "1s",
            "FABRIC_OPERATOR_COALESCING_CREATION_QUIET", "1s",
            "FABRIC_OPERATOR_DAMPING_CHANGES", "1000");

    private static @Nullable Kueue kueue;
    private static @Nullable OperatorProcess operator;

    private final ControlPlane cluster;
    private final KubernetesClient admin;
    private final String namespace;

    KueueTest(ControlPlane cluster, @ClassNamespace String namespace) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.namespace = namespace;
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @TempDir Path directory) {
        kueue = Kueue.find(cluster, directory).orElse(null);
        Assumptions.assumeTrue(kueue != null, "no Kueue: run \"make setup\"");
        KubernetesClient admin = cluster.admin();
        Manifests.apply(cluster);
        TREE.nodeObjects().forEach(node -> admin.resource(node).create());
        TREE.switchObjects().forEach(node -> admin.resource(node).create());
        TREE.deviceObjects().forEach(device -> admin.resource(device).create());
        operator = start(cluster, directory, Map.of());
    }

    private static OperatorProcess start(ControlPlane cluster, Path directory, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        return OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, settings);
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
        assertThat(writes).isEqualTo(19);
        eventually(() -> admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            fabric.getMetadata().setLabels(Map.of("team", "a"));
            return fabric;
        }));
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
        operator = start(cluster, directoryOf(), Map.of());
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.reason()).isEqualTo("CannotChange");
            assertThat(condition.message()).contains("Topology " + FABRIC + " is out of date");
        }));
        assertThat(levels(topology())).containsExactly(TIER + 1);
        admin.resource(topology()).delete();
        eventually(() -> assertThat(levels(topology())).hasSize(4));
        eventually(() -> assertThat(Objects.requireNonNull(condition(CONDITION)).reason())
                .isEqualTo("Written"));
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
        eventually(() -> assertThat(admin.batch()
                        .v1()
                        .jobs()
                        .inNamespace(namespace)
                        .withName("first")
                        .require()
                        .getSpec()
                        .getSuspend())
                .isFalse());
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

    @Test
    @Order(6)
    void aJobThatFitsNoLeafWaitsUntilOneIsCabledWithMore() {
        kueue().createJob(namespace, "four", QUEUE, 4, REQUIRED, TIER + 1);
        pause();
        assertThat(kueue().nodesOf(namespace, "four")).isEmpty();
        List<SwitchPortSpec> from = new ArrayList<>(ports(1));
        SwitchPortSpec moved = from.removeFirst();
        List<SwitchPortSpec> to = new ArrayList<>(ports(0));
        to.add(new SwitchPortSpec(20, moved.peer(), moved.state(), moved.speedBitsPerSecond(), moved.width(), null));
        set(1, from);
        set(0, to);
        awaitNodes("four", 4);
        assertThat(kueue().nodesOf(namespace, "four"))
                .containsExactly("node-0000", "node-0001", "node-0002", "node-0003");
        delete("four");
    }

    @Test
    @Order(7)
    void switchingOffTakesLabelsAndTopologyAway() {
        operator().terminate();
        operator = start(cluster, directoryOf(), Map.of("FABRIC_OPERATOR_NODE_LABELS_ENABLED", "false"));
        eventually(() -> assertThat(admin.nodes().list().getItems())
                .allSatisfy(node -> assertThat(node.getMetadata().getLabels().keySet())
                        .noneMatch(key -> key.startsWith("fabric-operator.dev/"))));
        // Kueue holds a Topology that a ResourceFlavor names.
        eventually(() ->
                assertThat(topology().getMetadata().getDeletionTimestamp()).isNotNull());
        double writes = operator().metric(WRITES);
        pause();
        assertThat(operator().metric(WRITES)).isEqualTo(writes);
        eventually(() -> {
            assertThat(condition(CONDITION)).isNull();
            assertThat(condition("NodeLabelsCurrent")).isNull();
        });
        kueue().deleteQueue(namespace, QUEUE);
        eventually(() -> assertThat(kueue().topologies()).isEmpty());
    }

    private Path directoryOf() {
        return kueue().directory();
    }

    private void delete(String... jobs) {
        for (String job : jobs) {
            kueue().delete(namespace, job);
        }
        eventually(() -> assertThat(kueue().hasWorkloads(namespace)).isFalse());
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

    private List<SwitchPortSpec> ports(int leaf) {
        return admin.resources(FabricSwitch.class)
                .withName(TREE.leafName(leaf))
                .require()
                .getSpec()
                .ports();
    }

    private void set(int leaf, List<SwitchPortSpec> ports) {
        eventually(() -> admin.resources(FabricSwitch.class)
                .withName(TREE.leafName(leaf))
                .edit(object -> {
                    object.setSpec(FabricSwitchSpecBuilder.builder(object.getSpec())
                            .ports(ports)
                            .build());
                    return object;
                }));
    }

    /** Of Nodes and Topologies. */
    private Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        admin.nodes()
                .list()
                .getItems()
                .forEach(node -> versions.put(
                        node.getMetadata().getName(), node.getMetadata().getResourceVersion()));
        kueue().topologies()
                .forEach((name, object) ->
                        versions.put(name, object.getMetadata().getResourceVersion()));
        return versions;
    }

    private static void pause() {
        Awaitility.await().pollDelay(QUIET).atMost(LIMIT).until(() -> true);
    }

    private @Nullable Condition condition(String type) {
        Fabric fabric = admin.resources(Fabric.class).withName(FABRIC).get();
        if (fabric == null || fabric.getStatus() == null) {
            return null;
        }
        return fabric.getStatus().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElse(null);
    }
}
