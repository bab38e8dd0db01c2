/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.IntegrationCase;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import io.fabric8.kubernetes.api.model.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The operator says the place of each Node to Slinky, in the words of the topology.yaml that it writes. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SlinkyAnnotationsTest extends IntegrationCase {
    private static final String SPEC = "topology.slinky.slurm.net/spec";
    private static final String CONDITION = "SlinkyAnnotationsCurrent";
    private static final String THEIRS = "topo-switch:s7";
    private static final Map<String, String> ENABLED =
            Map.of("FABRIC_OPERATOR_SLURM_SLINKY", "true", "FABRIC_OPERATOR_SLURM_ENABLED", "true");

    private static @Nullable OperatorProcess operator;

    SlinkyAnnotationsTest(ControlPlane cluster) {
        super(cluster);
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @TempDir Path directory) {
        createFabric(cluster);
        operator = startOperator(cluster, directory, Map.of("FABRIC_OPERATOR_SLURM_ENABLED", "true"));
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.kill();
        }
    }

    private void restart(Path directory, Map<String, String> settings) {
        Objects.requireNonNull(operator).terminate();
        operator = startOperator(cluster, directory, settings);
    }

    private double writes() {
        return Objects.requireNonNull(operator).metric(WRITES);
    }

    private String topology() {
        var map = admin.configMaps()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-slurm")
                .get();
        return map == null ? "" : map.getData().getOrDefault("topology.yaml", "");
    }

    private Map<String, String> annotations(String node) {
        Map<String, String> there =
                admin.nodes().withName(node).require().getMetadata().getAnnotations();
        return there == null ? Map.of() : there;
    }

    /** Values of Slinky's annotation by Node. */
    private Map<String, String> specs() {
        Map<String, String> specs = new TreeMap<>();
        for (Node node : admin.nodes().list().getItems()) {
            Map<String, String> there = node.getMetadata().getAnnotations();
            if (there != null && there.get(SPEC) instanceof String spec) {
                specs.put(node.getMetadata().getName(), spec);
            }
        }
        return specs;
    }

    private void annotate(String name, @Nullable String value) {
        eventually(() -> admin.nodes().withName(name).edit(node -> {
            if (value == null) {
                node.getMetadata().getAnnotations().remove(SPEC);
            } else {
                node.getMetadata().getAnnotations().put(SPEC, value);
            }
            return node;
        }));
    }

    private void awaitMessage(String message) {
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.message()).isEqualTo(message);
        }));
    }

    @Test
    @Order(1)
    void noNodeIsAnnotatedUnlessItIsAskedFor() {
        eventually(() -> assertThat(topology()).contains("switch: "));
        pause();
        assertThat(specs()).isEmpty();
        assertThat(condition(CONDITION)).isNull();
    }

    @Test
    @Order(2)
    void eachNodeNamesTheSwitchThatHoldsItInTheTopologyThatTheFileHas(@TempDir Path directory) {
        restart(directory, ENABLED);
        eventually(() -> assertThat(specs()).hasSize(TREE.nodes()));
        for (int leaf = 0; leaf < TREE.leaves(); leaf++) {
            int first = leaf * TREE.nodesOfALeaf();
            String spec = annotations(TreeFabric.nodeName(first)).get(SPEC);
            assertThat(spec).startsWith(FABRIC + ":");
            for (int node = first; node < first + TREE.nodesOfALeaf(); node++) {
                assertThat(annotations(TreeFabric.nodeName(node))).containsEntry(SPEC, spec);
            }
            String unit = Objects.requireNonNull(spec).substring(FABRIC.length() + 1);
            assertThat(topology())
                    .contains("- topology: " + FABRIC + "\n")
                    .containsPattern("switch: " + Pattern.quote(unit) + "\n +nodes: "
                            + Pattern.quote("node-[%04d-%04d]".formatted(first, first + TREE.nodesOfALeaf() - 1)));
        }
        awaitMessage("annotation " + SPEC + " says the place of 18 nodes in topology " + FABRIC);
    }

    @Test
    @Order(3)
    void nothingIsWrittenWhileNothingChangesAndAMovedNodeFollowsAlone() {
        double writes = writes();
        Map<String, String> before = nodeVersions();
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        pause();
        assertThat(nodeVersions()).isEqualTo(before);
        assertThat(writes()).isEqualTo(writes);

        moveNodeThreeFromLeafOneToLeafZero();
        eventually(() -> assertThat(annotations("node-0003").get(SPEC))
                .isEqualTo(annotations("node-0000").get(SPEC)));
        pause();
        Map<String, String> after = nodeVersions();
        assertThat(after.keySet().stream().filter(node -> !Objects.equals(after.get(node), before.get(node))))
                .containsExactly("node-0003");
    }

    @Test
    @Order(4)
    void oneThatSomebodyRemovesComesBackAndOneThatSomebodyWritesStays() {
        String right = Objects.requireNonNull(annotations("node-0001").get(SPEC));
        annotate("node-0001", null);
        eventually(() -> assertThat(annotations("node-0001")).containsEntry(SPEC, right));

        annotate("node-0002", THEIRS);
        awaitMessage("annotation " + SPEC + " says the place of 17 nodes in topology " + FABRIC
                + "; that of 1 node is another's, and stays");
        pause();
        assertThat(annotations("node-0002"))
                .containsEntry(SPEC, THEIRS)
                .doesNotContainKey("fabric-operator.dev/slinky-spec");
    }

    @Test
    @Order(5)
    void aFabricThatIsNotForSlurmIsNoPlace() {
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of("fabric-operator.dev/integrate-slurm", "false")));
        eventually(() -> assertThat(specs()).isEqualTo(Map.of("node-0002", THEIRS)));
        eventually(() -> assertThat(condition(CONDITION)).isNull());
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of()));
        eventually(() -> assertThat(specs()).hasSize(TREE.nodes()));
    }

    @Test
    @Order(6)
    void allThatTheOperatorHasWrittenIsGoneAfterSwitchingOff(@TempDir Path directory) {
        restart(directory, Map.of());
        eventually(() -> assertThat(specs()).isEqualTo(Map.of("node-0002", THEIRS)));
        for (String node : List.of("node-0000", "node-0002", "node-0017")) {
            assertThat(annotations(node)).doesNotContainKey("fabric-operator.dev/slinky-spec");
        }
        eventually(() -> assertThat(condition(CONDITION)).isNull());
    }
}
