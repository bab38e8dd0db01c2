/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.IntegrationCase;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.dsl.Resource;
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

/**
 * The operator keeps Slurm's files in a ConfigMap, which a real slurmctld reads, and says the place of each Node to Slinky, in the
 * words of the topology.yaml among them.
 */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SlurmTopologyTest extends IntegrationCase {
    private static final String NAME = "fabric-operator-slurm";
    private static final String CONDITION = "SlurmTopologyCurrent";
    private static final String SPEC = "topology.slinky.slurm.net/spec";
    private static final String SLINKY_CONDITION = "SlinkyAnnotationsCurrent";
    private static final String THEIRS = "topo-switch:s7";
    private static final Map<String, String> ENABLED = Map.of("FABRIC_OPERATOR_SLURM_ENABLED", "true");
    private static final Map<String, String> BOTH =
            Map.of("FABRIC_OPERATOR_SLURM_SLINKY", "true", "FABRIC_OPERATOR_SLURM_ENABLED", "true");

    private static @Nullable OperatorProcess operator;

    SlurmTopologyTest(ControlPlane cluster) {
        super(cluster);
    }

    @BeforeAll
    static void startTheOperator(ControlPlane cluster, @TempDir Path directory) {
        createFabric(cluster);
        operator = startOperator(cluster, directory, ENABLED);
    }

    @AfterAll
    static void stop() {
        if (operator != null) {
            operator.kill();
        }
    }

    private Resource<ConfigMap> map() {
        return admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).withName(NAME);
    }

    private String file(String name) {
        ConfigMap present = map().get();
        return present == null || present.getData() == null
                ? ""
                : present.getData().getOrDefault(name, "");
    }

    private void restart(Path directory, Map<String, String> settings) {
        Objects.requireNonNull(operator).terminate();
        operator = startOperator(cluster, directory, settings);
    }

    private double writes() {
        return Objects.requireNonNull(operator).metric(WRITES);
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

    private void awaitSlinky(String message) {
        eventually(() -> assertThat(condition(SLINKY_CONDITION)).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.message()).isEqualTo(message);
        }));
    }

    @Test
    @Order(1)
    void slurmFindsEachHostAtItsLeafByTheFileOfTheConfigMap(@TempDir Path directory) throws Exception {
        eventually(() -> assertThat(file("topology.conf")).contains(" Nodes="));
        List<String> nodes = admin.nodes().list().getItems().stream()
                .map(Node::getMetadata)
                .map(metadata -> metadata.getName())
                .sorted()
                .toList();
        assertThat(nodes).hasSize(18);
        try (SlurmController slurm = SlurmController.start(directory, nodes, "tree", file("topology.conf"))) {
            assertThat(slurm.control("show", "topology").lines().filter(line -> line.contains("Level=0")))
                    .hasSize(6)
                    .anySatisfy(line -> assertThat(line).contains("Nodes=node-[0000-0002]"));
        }
        assertThat(file("topology.yaml"))
                .contains("- topology: " + FABRIC + "\n  cluster_default: true\n  tree:\n    switches:\n");
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.message())
                    .isEqualTo("ConfigMap fabric-operator-slurm has topology " + FABRIC
                            + " of 18 hosts in topology.yaml, which is the default, and in topology.conf");
        }));
    }

    @Test
    @Order(2)
    void noNodeIsAnnotatedUnlessItIsAskedFor() {
        eventually(() -> assertThat(file("topology.yaml")).contains("switch: "));
        pause();
        assertThat(specs()).isEmpty();
        assertThat(condition(SLINKY_CONDITION)).isNull();
    }

    @Test
    @Order(3)
    void eachNodeNamesTheSwitchThatHoldsItInTheTopologyThatTheFileHas(@TempDir Path directory) {
        restart(directory, BOTH);
        eventually(() -> assertThat(specs()).hasSize(TREE.nodes()));
        for (int leaf = 0; leaf < TREE.leaves(); leaf++) {
            int first = leaf * TREE.nodesOfALeaf();
            String spec = annotations(TreeFabric.nodeName(first)).get(SPEC);
            assertThat(spec).startsWith(FABRIC + ":");
            for (int node = first; node < first + TREE.nodesOfALeaf(); node++) {
                assertThat(annotations(TreeFabric.nodeName(node))).containsEntry(SPEC, spec);
            }
            String unit = Objects.requireNonNull(spec).substring(FABRIC.length() + 1);
            assertThat(file("topology.yaml"))
                    .contains("- topology: " + FABRIC + "\n")
                    .containsPattern("switch: " + Pattern.quote(unit) + "\n +nodes: "
                            + Pattern.quote("node-[%04d-%04d]".formatted(first, first + TREE.nodesOfALeaf() - 1)));
        }
        awaitSlinky("annotation " + SPEC + " says the place of 18 nodes in topology " + FABRIC);
    }

    @Test
    @Order(4)
    void nothingIsWrittenWhileNothingChangesAndAMovedHostIsAndItsNodeFollowsAlone() {
        String version = map().require().getMetadata().getResourceVersion();
        double writes = writes();
        Map<String, String> before = nodeVersions();
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        pause();
        assertThat(map().require().getMetadata().getResourceVersion()).isEqualTo(version);
        assertThat(nodeVersions()).isEqualTo(before);
        assertThat(writes()).isEqualTo(writes);

        moveNodeThreeFromLeafOneToLeafZero();
        eventually(() -> assertThat(file("topology.conf")).contains("Nodes=node-[0000-0003]"));
        assertThat(file("topology.yaml")).contains("nodes: node-[0000-0003]");
        eventually(() -> assertThat(annotations("node-0003").get(SPEC))
                .isEqualTo(annotations("node-0000").get(SPEC)));
        pause();
        Map<String, String> after = nodeVersions();
        assertThat(after.keySet().stream().filter(node -> !Objects.equals(after.get(node), before.get(node))))
                .containsExactly("node-0003");
    }

    @Test
    @Order(5)
    void whatIsChangedComesBackAndFilesOfOthersBesideItStay() {
        eventually(() -> map().edit(map -> new ConfigMapBuilder(map)
                .addToData("topology.conf", "")
                .addToData("cgroup.conf", "# of the site")
                .build()));
        eventually(() -> assertThat(file("topology.conf")).contains(" Nodes="));
        assertThat(file("cgroup.conf")).isEqualTo("# of the site");
        map().delete();
        eventually(() -> assertThat(file("topology.yaml")).contains("switch: "));
    }

    @Test
    @Order(6)
    void aConfigMapOfThatNameThatIsAnothersStays() {
        eventually(() -> map().edit(map -> new ConfigMapBuilder(map)
                .editMetadata()
                .withLabels(Map.of())
                .endMetadata()
                .withData(Map.of("topology.conf", "# mine"))
                .build()));
        eventually(() -> assertThat(condition(CONDITION)).satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.False);
            assertThat(condition.reason()).isEqualTo("NameTaken");
        }));
        assertThat(file("topology.conf")).isEqualTo("# mine");
        map().delete();
        eventually(() -> assertThat(file("topology.conf")).contains(" Nodes="));
    }

    @Test
    @Order(7)
    void oneThatSomebodyRemovesComesBackAndOneThatSomebodyWritesStays() {
        String right = Objects.requireNonNull(annotations("node-0001").get(SPEC));
        annotate("node-0001", null);
        eventually(() -> assertThat(annotations("node-0001")).containsEntry(SPEC, right));

        annotate("node-0002", THEIRS);
        awaitSlinky("annotation " + SPEC + " says the place of 17 nodes in topology " + FABRIC
                + "; that of 1 node is another's, and stays");
        pause();
        assertThat(annotations("node-0002"))
                .containsEntry(SPEC, THEIRS)
                .doesNotContainKey("fabric-operator.dev/slinky-spec");
    }

    @Test
    @Order(8)
    void aFabricThatIsNotForSlurmIsNoPlace() {
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of("fabric-operator.dev/integrate-slurm", "false")));
        eventually(() -> assertThat(specs()).isEqualTo(Map.of("node-0002", THEIRS)));
        eventually(() -> assertThat(condition(SLINKY_CONDITION)).isNull());
        edit(fabric -> fabric.getMetadata().setAnnotations(Map.of()));
        eventually(() -> assertThat(specs()).hasSize(TREE.nodes()));
    }

    @Test
    @Order(9)
    void theLastFileStaysWhileNoSwitchIsKnown() {
        String before = file("topology.conf");
        admin.resources(FabricSwitch.class).delete();
        eventually(() -> assertThat(condition(CONDITION))
                .satisfies(condition ->
                        assertThat(condition.message()).contains("topology.conf is left out, or stays as it was")));
        pause();
        assertThat(file("topology.conf")).isEqualTo(before);
        assertThat(file("topology.yaml")).contains("flat: true");
        TREE.switchObjects().forEach(object -> admin.resource(object).create());
        eventually(() -> assertThat(specs()).hasSize(TREE.nodes()));
    }

    @Test
    @Order(10)
    void withoutThemTheConfigMapTheOperatorsAnnotationsAndTheConditionsGo(@TempDir Path directory) {
        restart(directory, Map.of());
        eventually(() -> assertThat(map().get()).isNull());
        eventually(() -> assertThat(condition(CONDITION)).isNull());
        eventually(() -> assertThat(specs()).isEqualTo(Map.of("node-0002", THEIRS)));
        for (String node : List.of("node-0000", "node-0002", "node-0017")) {
            assertThat(annotations(node)).doesNotContainKey("fabric-operator.dev/slinky-spec");
        }
        eventually(() -> assertThat(condition(SLINKY_CONDITION)).isNull());
    }
}
