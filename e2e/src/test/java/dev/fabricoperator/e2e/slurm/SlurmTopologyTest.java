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
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The operator keeps Slurm's files in a ConfigMap, and a real slurmctld reads them. */
@WithControlPlane(own = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SlurmTopologyTest extends IntegrationCase {
    private static final String NAME = "fabric-operator-slurm";
    private static final String CONDITION = "SlurmTopologyCurrent";
    private static final Map<String, String> ENABLED = Map.of("FABRIC_OPERATOR_SLURM_ENABLED", "true");

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
    void nothingIsWrittenWhileNothingChangesAndAMovedHostIs() {
        String before = map().require().getMetadata().getResourceVersion();
        edit(fabric -> fabric.getMetadata().setLabels(Map.of("team", "a")));
        pause();
        assertThat(map().require().getMetadata().getResourceVersion()).isEqualTo(before);

        moveNodeThreeFromLeafOneToLeafZero();
        eventually(() -> assertThat(file("topology.conf")).contains("Nodes=node-[0000-0003]"));
        assertThat(file("topology.yaml")).contains("nodes: node-[0000-0003]");
    }

    @Test
    @Order(3)
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
    @Order(4)
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
    @Order(5)
    void theLastFileStaysWhileNoSwitchIsKnown() {
        String before = file("topology.conf");
        admin.resources(FabricSwitch.class).delete();
        eventually(() -> assertThat(condition(CONDITION))
                .satisfies(condition ->
                        assertThat(condition.message()).contains("topology.conf is left out, or stays as it was")));
        pause();
        assertThat(file("topology.conf")).isEqualTo(before);
        assertThat(file("topology.yaml")).contains("flat: true");
    }

    @Test
    @Order(6)
    void withoutItTheConfigMapAndTheConditionGo(@TempDir Path directory) {
        Objects.requireNonNull(operator).terminate();
        operator = startOperator(cluster, directory, Map.of());
        eventually(() -> assertThat(map().get()).isNull());
        eventually(() -> assertThat(condition(CONDITION)).isNull());
    }
}
