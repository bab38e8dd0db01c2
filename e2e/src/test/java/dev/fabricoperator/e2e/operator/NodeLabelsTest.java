/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.TierStatus;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import io.fabric8.kubernetes.api.model.Node;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Labels of the Nodes of the fabric. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NodeLabelsTest extends IntegrationCase {
    private static final String LABEL = "fabric-operator.dev/fabric";
    private static final String TIER = "fabric-operator.dev/tier-";
    private static final String OWN = FABRIC + ".fabric-operator.dev/tier-";
    private static final String TOPOGRAPH = "fabric.topograph.run/tier-";
    private static final String CONDITION = "NodeLabelsCurrent";

    private static @Nullable OperatorProcess operator;

    NodeLabelsTest(ControlPlane cluster) {
        super(cluster);
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @TempDir Path directory) {
        createFabric(cluster);
        start(cluster, directory, Map.of());
    }

    private static void start(ControlPlane cluster, Path directory, Map<String, String> more) {
        if (operator != null) {
            operator.terminate();
        }
        Map<String, String> settings = new HashMap<>(more);
        settings.put("FABRIC_OPERATOR_WRITES_REFUSED_INTERVAL", "2s");
        operator = startOperator(cluster, directory, settings);
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.kill();
        }
    }

    private static double metric(String name) {
        return Objects.requireNonNull(operator).metric(name);
    }

    @Test
    @Order(1)
    void noNodeIsLabelledWhereKueueIsNot() {
        eventually(() -> assertThat(condition("Ready")).isNotNull());
        pause();
        assertThat(places()).isEmpty();
        assertThat(condition(CONDITION)).isNull();
        assertThat(metric(WRITES)).isZero();
    }

    @Test
    @Order(2)
    void eachNodeSaysWhereItIs(@TempDir Path directory) {
        start(cluster, directory, Map.of("FABRIC_OPERATOR_NODE_LABELS_ENABLED", "true"));
        awaitAll();
        for (int tier = 1; tier <= 3; tier++) {
            int nodes = List.of(3, 9, 18).get(tier - 1);
            assertThat(nodesByLabel(TIER + tier).values())
                    .hasSize(18 / nodes)
                    .allSatisfy(some -> assertThat(some).hasSize(nodes));
        }
        assertThat(nodesByLabel(TIER + 1).values()).contains(nodesOfLeaf(0), nodesOfLeaf(5));
        assertThat(nodesByLabel(LABEL).keySet()).containsExactly(FABRIC);
        assertThat(nodesByLabel(TIER + 3).keySet()).containsExactly(FABRIC);
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.message())
                    .isEqualTo("18 nodes have labels " + OWN + "1 (leaf), tier-2 (pod), tier-3 (" + FABRIC
                            + "); fabric-operator.dev/fabric and the same tiers behind fabric-operator.dev/");
        }));
    }

    @Test
    @Order(3)
    void theFabricNamesItsTiersAndTheirLabelsWhichEachNodeHas() {
        awaitAll();
        eventually(() -> assertThat(tiers())
                .containsExactly(
                        new TierStatus("leaf", OWN + 1),
                        new TierStatus("pod", OWN + 2),
                        new TierStatus(FABRIC, OWN + 3)));
        for (int tier = 1; tier <= 3; tier++) {
            assertThat(nodesByLabel(OWN + tier))
                    .isEqualTo(nodesByLabel(TIER + tier))
                    .isNotEmpty();
        }
    }

    private List<TierStatus> tiers() {
        return admin.resources(Fabric.class)
                .withName(FABRIC)
                .require()
                .getStatus()
                .tiers();
    }

    @Test
    @Order(4)
    void nothingIsWrittenWhileNothingChanges() {
        awaitAll();
        double writes = metric(WRITES);
        assertThat(written(Objects.requireNonNull(operator))).isEqualTo(18);
        Map<String, String> before = nodeVersions();
        // Something that is no news for labels.
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        editNode("node-0017", node -> node.getMetadata().getLabels().put("team", "a"));
        pause();
        assertThat(changed(before)).containsExactly("node-0017");
        assertThat(metric(WRITES)).isEqualTo(writes);
        assertThat(metric("fabric_operator_integration_objects")).isEqualTo(18);
    }

    @Test
    @Order(5)
    void aNodeThatIsCabledToAnotherLeafFollowsAlone() {
        awaitAll();
        Map<String, String> before = nodeVersions();
        moveNodeThreeFromLeafOneToLeafZero();
        eventually(() -> assertThat(label("node-0003", TIER + 1)).isEqualTo(label("node-0000", TIER + 1)));
        assertThat(label("node-0004", TIER + 1)).isNotEqualTo(label("node-0000", TIER + 1));
        assertThat(changed(before)).containsExactly("node-0003");
        for (int leaf : List.of(0, 1)) {
            set(leaf, TREE.switchObjects().get(leaf).getSpec().ports());
        }
        eventually(() -> assertThat(nodesByLabel(TIER + 1).values()).contains(nodesOfLeaf(0), nodesOfLeaf(1)));
        assertThat(changed(before)).containsExactly("node-0003");
    }

    @Test
    @Order(6)
    void whatSomebodyChangesComesBackAndOtherLabelsStay() {
        awaitAll();
        Map<String, String> right = labels("node-0001");
        editNode("node-0001", node -> {
            node.getMetadata().getLabels().remove(TIER + 2);
            node.getMetadata().getLabels().put(TIER + 1, "elsewhere");
            node.getMetadata().getLabels().put(TIER + 9, "nowhere");
            node.getMetadata().getLabels().put(OWN + 1, "elsewhere");
            node.getMetadata().getLabels().put("gone.fabric-operator.dev/tier-1", "gone");
            node.getMetadata().getLabels().put("fabric-operator.dev/other", "kept");
        });
        eventually(() -> {
            Map<String, String> now = labels("node-0001");
            assertThat(now.remove("fabric-operator.dev/other")).isEqualTo("kept");
            assertThat(now).isEqualTo(right);
        });
    }

    @Test
    @Order(7)
    void aNodeThatIsDeletedIsNotMadeAnewAndOneThatComesIsLabelled() {
        awaitAll();
        admin.nodes().withName("node-0008").delete();
        eventually(() -> assertThat(Objects.requireNonNull(condition(CONDITION)).message())
                .startsWith("17 nodes have labels"));
        assertThat(admin.nodes().withName("node-0008").get()).isNull();
        admin.resource(TREE.nodeObjects().get(8)).create();
        eventually(() -> assertThat(label("node-0008", TIER + 1)).isEqualTo(label("node-0007", TIER + 1)));
    }

    @Test
    @Order(8)
    void aFabricThatOptsOutTakesItsLabelsAway() {
        awaitAll();
        edit(fabric ->
                fabric.getMetadata().setAnnotations(Map.of(FabricApi.ANNOTATION_INTEGRATE + "node-labels", "false")));
        eventually(() -> assertThat(places()).isEmpty());
        eventually(() -> assertThat(condition(CONDITION)).isNull());
        eventually(() -> assertThat(tiers()).isEmpty());
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of()));
        awaitAll();
    }

    @Test
    @Order(9)
    void whatTheApiServerRefusesIsToldAndTriedAgain() {
        awaitAll();
        eventually(() -> admin.rbac()
                .clusterRoles()
                .withName("fabric-operator-node-labels")
                .edit(role -> {
                    role.getRules().clear();
                    return role;
                }));
        eventually(() -> {
            editNode("node-0000", node -> node.getMetadata().getLabels().put(TIER + 1, "elsewhere"));
            assertThat(condition(CONDITION)).satisfies(condition -> {
                assertThat(condition.reason()).isEqualTo("WritesRefused");
                assertThat(condition.message()).contains("1 Node").contains("node-0000");
            });
        });
        Manifests.apply(cluster);
        eventually(() -> assertThat(label("node-0000", TIER + 1)).isEqualTo(label("node-0001", TIER + 1)));
        awaitAll();
    }

    @Test
    @Order(10)
    void topographsLabelsAreWrittenOnRequestAndLeftToTopographWhereItHasWrittenThem(@TempDir Path directory) {
        editNode("node-0002", node -> node.getMetadata().getLabels().put(TOPOGRAPH + 0, "rack-7"));
        start(
                cluster,
                directory,
                Map.of(
                        "FABRIC_OPERATOR_NODE_LABELS_ENABLED", "true",
                        "FABRIC_OPERATOR_NODE_LABELS_TOPOGRAPH", "true"));
        eventually(() -> {
            assertThat(nodesByLabel(TOPOGRAPH + 2).values())
                    .hasSize(1)
                    .first()
                    .satisfies(all -> assertThat(all).hasSize(18));
            assertThat(label("node-0000", TOPOGRAPH + 0)).isEqualTo(label("node-0000", TIER + 1));
        });
        assertThat(label("node-0002", TOPOGRAPH + 0)).isEqualTo("rack-7");
        eventually(() -> assertThat(Objects.requireNonNull(condition(CONDITION)).message())
                .contains("of 1 node labels of topograph are another's, and stay"));
    }

    @Test
    @Order(11)
    void allAreGoneAfterSwitchingOff(@TempDir Path directory) {
        awaitAll();
        start(cluster, directory, Map.of());
        eventually(() -> assertThat(places()).isEmpty());
        eventually(() -> assertThat(condition(CONDITION)).isNull());
        eventually(() -> assertThat(nodesByLabel(TOPOGRAPH + 2)).isEmpty());
        eventually(() -> assertThat(nodesByLabel(TOPOGRAPH + 0)).isEqualTo(Map.of("rack-7", Set.of("node-0002"))));
        assertThat(label("node-0017", "team")).isEqualTo("a");
    }

    private void awaitAll() {
        eventually(() -> {
            assertThat(places()).hasSize(TREE.nodes());
            assertThat(condition(CONDITION))
                    .satisfies(condition -> assertThat(condition.message()).startsWith("18 nodes have labels"));
        });
    }

    private static Set<String> nodesOfLeaf(int leaf) {
        return IntStream.range(0, TREE.nodes())
                .filter(node -> TREE.leafOf(node) == leaf)
                .mapToObj(TreeFabric::nodeName)
                .collect(Collectors.toSet());
    }

    /** Names of Nodes that have a Fabric's label or one of a tier. */
    private Set<String> places() {
        return admin.nodes().list().getItems().stream()
                .filter(node -> node.getMetadata().getLabels().keySet().stream()
                        .anyMatch(key -> key.equals(LABEL) || key.startsWith(TIER) || key.startsWith(OWN)))
                .map(node -> node.getMetadata().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Map<String, Set<String>> nodesByLabel(String key) {
        Map<String, Set<String>> nodes = new TreeMap<>();
        admin.nodes()
                .withLabel(key)
                .list()
                .getItems()
                .forEach(node -> nodes.computeIfAbsent(
                                node.getMetadata().getLabels().get(key), value -> new TreeSet<>())
                        .add(node.getMetadata().getName()));
        return nodes;
    }

    private Map<String, String> labels(String node) {
        return new TreeMap<>(
                admin.nodes().withName(node).require().getMetadata().getLabels());
    }

    private @Nullable String label(String node, String key) {
        return labels(node).get(key);
    }

    private Set<String> changed(Map<String, String> before) {
        pause();
        Map<String, String> now = nodeVersions();
        Set<String> names = new TreeSet<>(before.keySet());
        names.removeIf(name -> Objects.equals(before.get(name), now.get(name)));
        return names;
    }

    private void editNode(String name, Consumer<Node> by) {
        eventually(() -> admin.nodes().withName(name).edit(node -> {
            by.accept(node);
            return node;
        }));
    }
}
