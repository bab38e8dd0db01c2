/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.e2e.cli.CommandLineProgram;
import dev.fabricoperator.e2e.cli.CommandLineProgram.Result;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.KubeconfigFile;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code kubectl fabric} asks the operator's query API through a real API server, and computes where it cannot. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CommandLineQueryTest {
    private static final int LAST = Integer.MAX_VALUE;
    private static final List<List<String>> QUESTIONS = List.of(
            List.of("groups"),
            List.of("groups", "--string"),
            List.of("path", "n1/mlx5_0", "n8/mlx5_0"),
            List.of("path", "n1", "n[5,8]"),
            List.of("peers", "00000000000000d1"),
            List.of("peers", "n[1-8]"),
            List.of("peers", "a000000000000002"),
            List.of("path", "a000000000000001", "n8", "-o", "json"),
            List.of("geometry", "n[2-3]", "-o", "json"),
            List.of("cost", "--from", "n1", "--to", "n[5-8]", "-o", "json"),
            List.of("cost", "--rows", "n[1-2]", "--cols", "a000000000000002,n1/mlx5_0", "-o", "json"),
            List.of("cost", "--nodes", "n[1-3]", "-o", "json"),
            List.of("cost", "--row", "n1/mlx5_0", "-o", "json"),
            List.of("cost", "--from", "n1", "--to", "n8"),
            List.of("geometry", "n3", "--view", "physical"),
            List.of("geometry", "n3/mlx5_0:1", "--plane", "0"),
            List.of("cost", "--from", "0x00000000000000d1:1", "--to", "n8-mlx5-0-1"),
            List.of("cost", "--row", "n1/mlx5_0"),
            List.of("cost", "--rows", "n1/mlx5_0,n2/mlx5_0", "--cols", "n8/mlx5_0,n1/mlx5_0"),
            List.of("cost", "--nodes", "n1,n5,n2"),
            List.of("cost", "--from-node", "n1", "--to-node", "n5"),
            List.of("cost", "--device", "n1/mlx5_0", "--group", "1"),
            List.of("check"),
            List.of("export", "slurm"),
            List.of("export", "slurm", "--format", "yaml", "--plugin", "block"),
            List.of("map"),
            List.of("map", "-o", "html"),
            List.of("map", "-o", "svg", "--hosts", "n[1,5]"),
            List.of("map", "-o", "dot", "--hosts", "n2"));

    @TempDir
    static Path directory;

    private ControlPlane controlPlane;
    private QueryCase cluster;
    private OperatorProcess server;
    private AggregatedApi aggregated;
    private Path viewer;

    @BeforeAll
    void start() throws IOException {
        controlPlane = ControlPlane.start(ControlPlaneOptions.API_ONLY);
        cluster = new QueryCase(controlPlane, directory);
        server = cluster.startServer(Map.of("FABRIC_OPERATOR_QUERY_HOST", MachineAddress.find()));
        aggregated = new AggregatedApi(controlPlane);
        aggregated.register(List.of(server.query()));
        String token = cluster.users.viewer("viewer");
        cluster.awaitServed(cluster.client(server, token));
        controlPlane
                .admin()
                .resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName("lists-fabrics")
                        .endMetadata()
                        .addNewRule()
                        .withApiGroups("fabric-operator.dev")
                        .withResources("fabrics")
                        .withVerbs("list")
                        .endRule()
                        .build())
                .create();
        viewer = kubeconfig("viewer", token);
        // The API server takes up roles a moment after they were bound.
        eventually(() -> assertThat(run(viewer, List.of("groups"))).satisfies(result -> {
            assertThat(result.exitCode()).isZero();
            assertThat(result.err()).isEmpty();
        }));
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
        controlPlane.close();
    }

    /** Of somebody who may list Fabrics, and neither FabricDevices nor FabricSwitches. */
    private Path kubeconfig(String name, String token) {
        controlPlane
                .admin()
                .resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("lists-fabrics-" + name)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "lists-fabrics")
                        .addNewSubject("", "ServiceAccount", name, "default")
                        .build())
                .create();
        Path file = directory.resolve(name + ".kubeconfig");
        KubeconfigFile.writeWithToken(file, controlPlane.server(), controlPlane.authorityPem(), token);
        return file;
    }

    private static List<String> words(Path kubeconfig, List<String> question, String... more) {
        List<String> words = new ArrayList<>(question);
        words.addAll(List.of("--kubeconfig", kubeconfig.toString()));
        words.addAll(List.of(more));
        return words;
    }

    private static Result run(Path kubeconfig, List<String> question, String... more) {
        return CommandLineProgram.inProcess(words(kubeconfig, question, more));
    }

    private Result fromObjects(List<String> question, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--from-objects");
        return run(controlPlane.kubeconfig(), question, words.toArray(String[]::new));
    }

    @Test
    void theOperatorAnswersAsTheObjectsDo() throws IOException {
        for (List<String> question : QUESTIONS) {
            Result computed = fromObjects(question);
            // This person could not compute it: may list no devices.
            Result asked = run(viewer, question);
            assertThat(asked.exitCode()).as("%s: %s", question, asked.err()).isZero();
            assertThat(asked.err()).isEmpty();
            assertThat(asked.out()).as("%s", question).isEqualTo(computed.out()).isNotEmpty();
        }
        List<String> path = List.of("path", "n1/mlx5_0", "n8/mlx5_0");
        assertThat(new CommandLineProgram(directory)
                        .run(words(viewer, path, "-o", "json"))
                        .out())
                .isEqualTo(fromObjects(path, "-o", "json").out());
    }

    @Test
    void theWholeMatrixComesInPartsAndIsTheSame() throws IOException {
        Path asked = directory.resolve("asked.npy");
        Path computed = directory.resolve("computed.npy");
        assertThat(run(viewer, List.of("cost", "--out", asked.toString())).exitCode())
                .isZero();
        assertThat(fromObjects(List.of("cost", "--out", computed.toString())).exitCode())
                .isZero();
        assertThat(Files.readAllBytes(asked)).isEqualTo(Files.readAllBytes(computed));
    }

    @Test
    void whatIsNotThereIsWrongUsageAndIsNotLookedForInAllObjects() throws IOException {
        Result host = run(viewer, List.of("path", "n1", "n9"));
        assertThat(host.exitCode()).isEqualTo(2);
        assertThat(host.err()).startsWith("error: no device has the id 'n9'");
        Result nothing = run(viewer, List.of("peers", "n9/mlx5_0"));
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.err()).startsWith("error: no device has the id 'n9/mlx5_0'");
        Result group = run(viewer, List.of("cost", "--device", "n1/mlx5_0", "--group", "9"));
        assertThat(group.exitCode()).isEqualTo(2);
        assertThat(group.err()).contains("has no devices in group 9");
        assertThat(run(viewer, List.of("groups", "--fabric", "none")).err())
                .isEqualTo("error: no fabric 'none'; there is infiniband-0\n");
    }

    /** Of n1 to n4 behind the first leaf, and n5 to n8 behind the second. */
    @Test
    void whereAGangFitsFollowsFromNodesAndFromPodsOfJobs() throws IOException {
        for (int node = 1; node <= SmallFabric.HOSTS; node++) {
            controlPlane
                    .admin()
                    .resource(node("n" + node, node == 6, node != 7))
                    .create();
        }
        controlPlane
                .admin()
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("default")
                        .withNamespace("default")
                        .endMetadata()
                        .build())
                .create();
        controlPlane
                .admin()
                .resource(pod(
                        "ring-0",
                        "n2",
                        Map.of("batch.kubernetes.io/controller-uid", "u", "batch.kubernetes.io/job-name", "ring")))
                .create();
        controlPlane.admin().resource(pod("web", "n3", Map.of())).create();
        List<String> question = List.of("fits", "--pods", "4", "-o", "json");
        // The API server's memory follows what was written.
        eventually(() -> assertThat(json(run(controlPlane.kubeconfig(), question))
                        .path("free")
                        .asInt())
                .isEqualTo(5));
        JsonNode answer = json(run(controlPlane.kubeconfig(), question));
        assertThat(answer.path("fits").asBoolean()).isTrue();
        assertThat(answer.at("/placement/nodes")).extracting(JsonNode::asText).containsExactly("n1", "n3", "n4", "n5");
        // Three pairs behind one leaf, three between two.
        assertThat(answer.at("/placement/mean").asDouble()).isEqualTo(30);
        assertThat(answer.at("/placement/worst").asInt()).isEqualTo(40);
        JsonNode leaf = answer.at("/tiers/0");
        assertThat(leaf.path("largest").asInt()).isEqualTo(3);
        assertThat(leaf.at("/lacking/nodes").asInt()).isEqualTo(1);
        assertThat(leaf.at("/lacking/heldBy/0/job").asText()).isEqualTo("default/ring");
        assertThat(run(controlPlane.kubeconfig(), List.of("fits", "--pods", "2", "--tier", "leaf", "-o", "name"))
                        .out())
                .isEqualTo("n5\nn8\n");
        Result none = run(controlPlane.kubeconfig(), List.of("fits", "--pods", "4", "--tier", "leaf"));
        assertThat(none.exitCode()).isZero();
        assertThat(none.out()).contains("default/ring has 1", "4 pods do not fit below one leaf now; 5 of 8 nodes");
        assertThat(fromObjects(question).out())
                .isEqualTo(run(controlPlane.kubeconfig(), question).out());
        assertThat(run(viewer, question).err()).contains("you need list on nodes, and on pods in all namespaces");
        assertThat(run(controlPlane.kubeconfig(), List.of("fits", "--pods", "4", "--tier", "rack"))
                        .err())
                .contains("has no tier 'rack'; there is leaf, infiniband-0");
    }

    private static JsonNode json(Result result) throws IOException {
        assertThat(result.exitCode()).as(result.err()).isZero();
        return new ObjectMapper().readTree(result.out());
    }

    private static Node node(String name, boolean cordoned, boolean ready) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withUnschedulable(cordoned)
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .endCondition()
                .endStatus()
                .build();
    }

    private static Pod pod(String name, String node, Map<String, String> labels) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .addNewContainer()
                .withName("app")
                .withImage("app")
                .endContainer()
                .endSpec()
                .build();
    }

    @Test
    @Order(LAST - 1)
    void whoMayNotAskTheOperatorComputesAndIsTold() throws IOException {
        Path stranger = kubeconfig("stranger", cluster.users.stranger("stranger"));
        eventually(() -> {
            Result refused = run(stranger, List.of("peers", "n1/mlx5_0"));
            // Nor may this one list what there is to compute from.
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err())
                    .contains("warning: the query API does not answer (403)", "computing from all objects")
                    .contains("error: ", "you need get and list on fabrics, fabricdevices and fabricswitches");
        });
    }

    @Test
    @Order(LAST)
    void withoutTheServerAndWithoutItsRegistrationAnswersAreComputed() throws IOException {
        List<String> question = List.of("path", "n1/mlx5_0", "n8/mlx5_0");
        String expected = fromObjects(question).out();
        server.kill();
        eventually(() -> assertThat(aggregated.availability()).isEqualTo("False"));
        Result away = new CommandLineProgram(directory).run(words(controlPlane.kubeconfig(), question));
        assertThat(away.exitCode()).as(away.err()).isZero();
        assertThat(away.err())
                .startsWith("warning: the query API is not there: HTTP status 503; computing from all objects");
        assertThat(away.out()).isEqualTo(expected);
        aggregated.unregister();
        // The API server forgets it a moment after it was deleted.
        eventually(() -> {
            Result unregistered = run(controlPlane.kubeconfig(), question);
            assertThat(unregistered.exitCode()).as(unregistered.err()).isZero();
            assertThat(unregistered.err()).isEmpty();
            assertThat(unregistered.out()).isEqualTo(expected);
        });
    }
}
