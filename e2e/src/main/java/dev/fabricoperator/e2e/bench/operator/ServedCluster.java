/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.query.AggregatedApi;
import dev.fabricoperator.e2e.query.MachineAddress;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.e2e.query.Users;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A real control plane with one large fabric, and one replica of the operator that serves its query API, also through the aggregation layer. */
public final class ServedCluster implements AutoCloseable {
    private final ControlPlane cluster;
    private final OperatorProcess server;
    private final String token;

    private ServedCluster(ControlPlane cluster, OperatorProcess server, String token) {
        this.cluster = cluster;
        this.server = server;
        this.token = token;
    }

    /**
     * Returns when the fabric is served.
     *
     * @param devices a multiple of 64
     */
    public static ServedCluster start(int devices) throws IOException, InterruptedException {
        return start(devices, Map.of());
    }

    /**
     * As {@link #start(int)}.
     *
     * @param settings more of the role server's
     */
    static ServedCluster start(int devices, Map<String, String> settings) throws IOException, InterruptedException {
        ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY);
        try {
            ServedCluster served = serve(cluster, devices, settings);
            served.awaitServed();
            return served;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static ServedCluster serve(ControlPlane cluster, int devices, Map<String, String> settings)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("query-bench-");
        Manifests.apply(cluster);
        new Load(cluster.admin(), new LargeFabric(devices)).create();
        OperatorProcess controller =
                OperatorProcess.start(cluster, directory, "controller", List.of("-Xmx512m"), Map.of());
        awaitReady(cluster, devices);
        // It has nothing more to do, and would take its share of the machine.
        controller.kill();
        String address = MachineAddress.find();
        cluster.writeServingCertificate(directory.resolve("tls"), List.of(AggregatedApi.SERVER_NAME, address));
        Map<String, String> all = new HashMap<>(settings);
        all.put("FABRIC_OPERATOR_QUERY_HOST", address);
        all.put(
                "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                directory.resolve("tls").toString());
        OperatorProcess server = OperatorProcess.start(cluster, directory, "server", List.of("-Xmx512m"), all);
        new AggregatedApi(cluster).register(List.of(server.query()));
        return new ServedCluster(cluster, server, new Users(cluster).viewer("bench"));
    }

    private static void awaitReady(Cluster cluster, int devices) throws InterruptedException {
        while (true) {
            Fabric fabric = cluster.admin()
                    .resources(Fabric.class)
                    .withName(Load.FABRIC)
                    .get();
            @Nullable FabricStatus status = fabric == null ? null : fabric.getStatus();
            if (status != null
                    && Integer.valueOf(devices).equals(status.devices())
                    && status.conditions().stream()
                            .anyMatch(c -> c.type().equals("Updating")
                                    && c.status().toString().equals("False"))) {
                return;
            }
            Thread.sleep(200);
        }
    }

    private void awaitServed() throws InterruptedException {
        try (QueryClient client = direct()) {
            while (client.get(path("cost?from=0&to=1")).statusCode() != 200) {
                Thread.sleep(100);
            }
        }
    }

    public Cluster cluster() {
        return cluster;
    }

    ControlPlane controlPlane() {
        return cluster;
    }

    /** Of the role server, as Prometheus would read it. */
    double metric(String name, String label) {
        return server.metric(name, label);
    }

    /** Of something below the fabric. */
    public static String path(String below) {
        return QueryClient.FABRICS + Load.FABRIC + "/" + below;
    }

    /** To the operator itself; the caller closes it. */
    public QueryClient direct() {
        return new QueryClient(server.query(), cluster.authorityPem(), token);
    }

    /** Through the aggregation layer; the caller closes it. */
    public QueryClient aggregated() {
        return new QueryClient(URI.create(cluster.server()), cluster.authorityPem(), token);
    }

    @Override
    public void close() {
        server.close();
        cluster.close();
    }
}
