/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptionsBuilder;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.e2e.system.CommandFailedException;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.formats.slurm.SlurmConfReader;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The query API as a part of the cluster's own, behind a real aggregation layer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class QueryAggregationTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LAST = Integer.MAX_VALUE;

    @TempDir
    static Path directory;

    private ControlPlane controlPlane;
    private QueryCase cluster;
    private AggregatedApi aggregated;
    private OperatorProcess server;
    private QueryClient viewer;
    private Command kubectl;

    @BeforeAll
    void start() throws IOException {
        Path policy = directory.resolve("audit-policy.yaml");
        Files.writeString(policy, """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - level: Metadata
                  resources: [{group: query.fabric-operator.dev}]
                - level: None
                """);
        controlPlane = ControlPlane.start(ControlPlaneOptionsBuilder.builder(ControlPlaneOptions.API_ONLY)
                .components(java.util.EnumSet.of(Component.ETCD, Component.API_SERVER, Component.CONTROLLER_MANAGER))
                .apiServerArguments(
                        List.of("--audit-policy-file=" + policy, "--audit-log-path=" + directory.resolve("audit.log")))
                .build());
        kubectl = Command.kubectl(controlPlane);
        cluster = new QueryCase(controlPlane, directory);
        server = cluster.startServer(Map.of("FABRIC_OPERATOR_QUERY_HOST", MachineAddress.find()));
        aggregated = new AggregatedApi(controlPlane);
        aggregated.register(List.of(server.query()));
        viewer = cluster.client(URI.create(controlPlane.server()), cluster.users.viewer("viewer"));
        cluster.awaitServed(viewer);
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
        controlPlane.close();
    }

    private String raw(String path) {
        return Objects.requireNonNull(cluster.admin.raw(path), path);
    }

    @Test
    void kubectlReadsCostsThroughTheApiServer() throws IOException {
        JsonNode row = JSON.readTree(kubectl.run("get", "--raw", QueryCase.path("cost?row=0")));
        assertThat(row.path("costs")).hasSize(SmallFabric.HOSTS);
        assertThat(row.path("costs").path(7).path("cost").asInt())
                .isEqualTo(cluster.model().cost().cost(0, 7));
    }

    @Test
    void answersAreTheSameAsDirectly() {
        QueryClient direct = cluster.client(server, cluster.users.viewer("direct"));
        for (String below : List.of("cost?format=npy", "vertices", "groups", "paths?from=0&to=7", "topology")) {
            assertThat(viewer.get(QueryCase.path(below)).body())
                    .as(below)
                    .isEqualTo(direct.get(QueryCase.path(below)).body());
        }
        assertThat(viewer.get(QueryCase.path("cost?generation=" + (cluster.generation() + 1)))
                        .statusCode())
                .isEqualTo(409);
        assertThat(viewer.get(QueryCase.path("vertices/8")).statusCode()).isEqualTo(400);
    }

    @Test
    void slurmReadsTheSameTopology() throws IOException, BadInputException {
        String conf = raw(QueryCase.path("topology?format=slurm"));
        assertThat(SlurmConfReader.read("topology.conf", new StringReader(conf)).adapters())
                .hasSize(SmallFabric.HOSTS);
        assertThat(raw(QueryCase.path("topology?format=yaml&plugin=block")))
                .contains("cluster_default: true\n  block:\n");
        for (String wrong : List.of("topology?format=slurm&plugin=ring", "topology?plugin=tree")) {
            assertThat(viewer.get(QueryCase.path(wrong)).statusCode()).as(wrong).isEqualTo(400);
        }
    }

    @Test
    void theMapIsAPageForWhoeverMayAskAndForNobodyElse() {
        var page = viewer.get(QueryCase.path("ui"));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'none'; ");
        assertThat(new String(page.body(), StandardCharsets.UTF_8))
                .startsWith("<!DOCTYPE html>")
                .contains("infiniband-0: FatTree", ">leaf1<", "\"n8\"")
                .endsWith("</html>\n");
        assertThat(raw(QueryCase.path("ui?format=svg"))).startsWith("<?xml ").contains("<svg ");
        assertThat(page.headers().firstValue("ETag")).isNotEmpty();
        assertThat(raw(QueryCase.path("ui?format=text&job=lab/ring&ranks=2:n1")))
                .contains("lab/ring");
        assertThat(viewer.get(QueryCase.path("ui?job=lab/ring&ranks=1:elsewhere"))
                        .statusCode())
                .isEqualTo(404);
        for (String wrong : List.of("ui?format=yaml", "ui?ranks=1:n1", "ui?job=a&ranks=n1")) {
            assertThat(viewer.get(QueryCase.path(wrong)).statusCode()).as(wrong).isEqualTo(400);
        }
        QueryClient stranger = cluster.client(URI.create(controlPlane.server()), cluster.users.stranger("onlooker"));
        assertThat(stranger.get(QueryCase.path("ui")).statusCode()).isEqualTo(403);
    }

    @Test
    void theClustersOwnRbacDecidesAndItsAuditLogNamesTheUser() {
        QueryClient stranger = cluster.client(URI.create(controlPlane.server()), cluster.users.stranger("stranger"));
        assertThat(stranger.get(QueryCase.path("cost")).statusCode()).isEqualTo(403);
        viewer.get(QueryCase.path("cost?row=3"));
        eventually(() -> assertThat(Files.readAllLines(directory.resolve("audit.log")))
                .anySatisfy(line -> assertThat(line)
                        .contains("fabrics/infiniband-0/cost?row=3")
                        .contains(Users.userName("viewer"))
                        .contains("\"subresource\":\"cost\"")));
    }

    @Test
    void discoveryAndOpenApiAreMergedIntoTheClusters() {
        // The API server asks for what it merges a moment after the registration.
        eventually(() -> {
            assertThat(kubectl.run("api-versions")).contains("query.fabric-operator.dev/v1alpha1");
            assertThat(kubectl.run(
                            "api-resources", "--verbs=delete", "--api-group=query.fabric-operator.dev", "-o", "name"))
                    .isBlank();
        });
        // The short name still means the objects.
        assertThat(kubectl.run("get", "fabrics", "-o", "name")).contains("fabric.fabric-operator.dev/infiniband-0");
        eventually(() -> assertThat(raw("/openapi/v2")).contains("getFabricCost"));
        eventually(() -> assertThat(raw("/openapi/v3/apis/query.fabric-operator.dev/v1alpha1"))
                .contains("getFabricCost"));
    }

    @Test
    @Order(LAST - 2)
    void aStreamComesThroughAlsoInTheMannerOfACollection() throws IOException {
        cluster.awaitSettled();
        long before = cluster.generation();
        HttpResponse<InputStream> one = viewer.open(QueryCase.path("watch?watch=true"));
        HttpResponse<InputStream> all =
                viewer.open("/apis/query.fabric-operator.dev/v1alpha1/fabrics?watch=true&fieldSelector=metadata.name%3D"
                        + QueryCase.FABRIC);
        try (BufferedReader first = lines(one);
                BufferedReader second = lines(all)) {
            for (BufferedReader lines : List.of(first, second)) {
                assertThat(event(lines).path("generation").asLong()).isEqualTo(before);
            }
            cluster.admin
                    .resources(FabricDevice.class)
                    .withName(SmallFabric.deviceName(8))
                    .delete();
            for (BufferedReader lines : List.of(first, second)) {
                assertThat(event(lines).path("phase").asText()).isEqualTo("Pending");
                assertThat(event(lines).path("phase").asText()).isEqualTo("Updated");
            }
        }
        cluster.awaitSettled();
    }

    private static BufferedReader lines(HttpResponse<InputStream> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static JsonNode event(BufferedReader lines) throws IOException {
        return JSON.readTree(lines.readLine()).path("object");
    }

    /**
     * With the operator gone: a namespace cannot be deleted while the APIService stands, since the controller of namespaces cannot
     * know what is in it, and can be as soon as it does not.
     */
    @Test
    @Order(LAST)
    void namespacesCanBeDeletedWithTheOperatorGoneUnlessTheApiServiceStands() {
        createNamespace("before");
        kubectl.run("delete", "namespace", "before", "--timeout=240s");
        server.kill();
        cluster.controller.kill();
        eventually(() -> assertThat(aggregated.availability()).isEqualTo("False"));
        createNamespace("held");
        assertThatThrownBy(() -> kubectl.run("delete", "namespace", "held", "--timeout=5s"))
                .isInstanceOf(CommandFailedException.class);
        eventually(() -> assertThat(kubectl.run("get", "namespace", "held", "-o", "jsonpath={.status.conditions}"))
                .contains("NamespaceDeletionDiscoveryFailure")
                .contains("query.fabric-operator.dev/v1alpha1"));
        aggregated.unregister();
        kubectl.run("wait", "--for=delete", "namespace/held", "--timeout=240s");
        createNamespace("after");
        kubectl.run("delete", "namespace", "after", "--timeout=240s");
    }

    private void createNamespace(String name) {
        cluster.admin
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        // The API server's own controllers put something into it that has to be deleted.
        eventually(() -> assertThat(
                        cluster.admin.configMaps().inNamespace(name).list().getItems())
                .isNotEmpty());
    }
}
