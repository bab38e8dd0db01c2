/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.view.mapping.FabricAssembly;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A controller, servers, eight hosts and their dump, shared by the tests of a class. */
final class QueryCase implements AutoCloseable {
    static final String FABRIC = "infiniband-0";

    /** So that tests need not wait for what servers remember. */
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_QUERY_ACCESS_CACHE",
            "200ms",
            "FABRIC_OPERATOR_QUERY_RELOAD_INTERVAL",
            "1s",
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION",
            "60s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE",
            "45s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD",
            "500ms");

    final ControlPlane cluster;
    final KubernetesClient admin;
    final Users users;
    private final Path directory;
    private final List<AutoCloseable> opened = new ArrayList<>();
    OperatorProcess controller;

    QueryCase(ControlPlane cluster, Path directory) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.users = new Users(cluster);
        this.directory = directory;
        Manifests.apply(cluster);
        cluster.writeServingCertificate(
                directory.resolve("tls"), List.of(AggregatedApi.SERVER_NAME, "127.0.0.1", MachineAddress.find()));
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admin.resource(SmallFabric.device(host)).create();
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        controller = startController();
        awaitSettled();
    }

    OperatorProcess startController() {
        // The next must not wait for the end of the lease of one that was killed.
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
        controller = OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, SETTINGS);
        opened.add(controller);
        return controller;
    }

    /** On loopback, with a certificate that the cluster's authority has signed. */
    OperatorProcess startServer() {
        return startServer(Map.of());
    }

    OperatorProcess startServer(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put(
                "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                directory.resolve("tls").toString());
        settings.putAll(more);
        OperatorProcess server = OperatorProcess.start(cluster, directory, "server", OperatorProcess.BRIEF, settings);
        opened.add(server);
        return server;
    }

    QueryClient client(OperatorProcess server, @Nullable String token) {
        return client(server.query(), token);
    }

    QueryClient client(URI server, @Nullable String token) {
        QueryClient client = new QueryClient(server, cluster.authorityPem(), token);
        opened.add(client);
        return client;
    }

    /** Waits until nothing is on its way any more. */
    FabricStatus awaitSettled() {
        eventually(() -> {
            FabricStatus status = status();
            assertThat(status.kind()).hasToString("FatTree");
            assertThat(conditions(status)).containsEntry("Ready", "True").containsEntry("Updating", "False");
        });
        return status();
    }

    private static Map<String, String> conditions(FabricStatus status) {
        Map<String, String> conditions = new HashMap<>();
        status.conditions().forEach(c -> conditions.put(c.type(), String.valueOf(c.status())));
        return conditions;
    }

    FabricStatus status() {
        FabricStatus status =
                admin.resources(Fabric.class).withName(FABRIC).require().getStatus();
        assertThat(status).isNotNull();
        return status;
    }

    long generation() {
        return Objects.requireNonNull(status().generation());
    }

    /** The model of the objects as they are, made here. */
    FabricModel model() {
        return FabricAssembly.of(
                        admin.resources(Fabric.class).list().getItems(),
                        admin.resources(FabricDevice.class).list().getItems(),
                        admin.resources(FabricSwitch.class).list().getItems())
                .fabric(admin.resources(Fabric.class).withName(FABRIC).require())
                .model();
    }

    /** Waits until the server serves the generation of the status. */
    void awaitServed(QueryClient client) {
        eventually(() -> {
            JsonNode planes = client.json(path("planes"));
            assertThat(planes.path("generation").asLong(-1))
                    .as(planes.toString())
                    .isEqualTo(generation());
        });
    }

    static String path(String below) {
        return QueryClient.FABRICS + FABRIC + "/" + below;
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }
}
