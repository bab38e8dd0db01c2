/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** The project's APIService with servers that are processes of this machine behind it. */
public final class AggregatedApi {
    /** Name of the Service, and of the server in its certificate. */
    public static final String SERVICE = "fabric-operator-query";

    public static final String SERVER_NAME = SERVICE + "." + OperatorProcess.NAMESPACE + ".svc";
    private static final String NAME = "v1alpha1.query.fabric-operator.dev";

    private final Cluster cluster;
    private final Command kubectl;

    public AggregatedApi(Cluster cluster) {
        this.cluster = cluster;
        this.kubectl = Command.kubectl(cluster);
    }

    /** Registers it with the authority of the cluster as the one to trust; returns when the API server finds it available. */
    public void register(List<URI> servers) {
        point(servers);
        kubectl.run(
                "apply",
                "--server-side",
                "-k",
                ProjectRoot.find().resolve("config/query-apiservice").toString());
        String bundle =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.US_ASCII));
        kubectl.run(
                "patch",
                "apiservice",
                NAME,
                "--type=merge",
                "-p",
                "{\"spec\":{\"insecureSkipTLSVerify\":false,\"caBundle\":\"" + bundle + "\"}}");
        awaitAvailable();
    }

    public void awaitAvailable() {
        kubectl.run("wait", "--for=condition=Available", "--timeout=60s", "apiservice/" + NAME);
    }

    public void unregister() {
        kubectl.run("delete", "apiservice", NAME, "--ignore-not-found");
    }

    /** What the API server says of it. */
    public String availability() {
        return kubectl.run(
                "get", "apiservice", NAME, "-o", "jsonpath={.status.conditions[?(@.type==\"Available\")].status}");
    }

    /** Makes the Service lead to these servers: it loses its selector, which would look for pods. */
    private void point(List<URI> servers) {
        cluster.admin()
                .services()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName(SERVICE)
                .delete();
        cluster.admin()
                .resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName(SERVICE)
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .addNewPort()
                        .withName("https")
                        .withPort(443)
                        .endPort()
                        .endSpec()
                        .build())
                .create();
        int number = 0;
        for (URI server : servers) {
            cluster.admin()
                    .resource(new EndpointSliceBuilder()
                            .withNewMetadata()
                            .withName(SERVICE + "-" + number++)
                            .withNamespace(OperatorProcess.NAMESPACE)
                            .addToLabels("kubernetes.io/service-name", SERVICE)
                            .endMetadata()
                            .withAddressType("IPv4")
                            .withEndpoints(new EndpointBuilder()
                                    .withAddresses(server.getHost())
                                    .withNewConditions()
                                    .withReady(true)
                                    .endConditions()
                                    .build())
                            .withPorts(new EndpointPortBuilder()
                                    .withName("https")
                                    .withProtocol("TCP")
                                    .withPort(server.getPort())
                                    .build())
                            .build())
                    .createOr(io.fabric8.kubernetes.client.dsl.NonDeletingOperation::update);
        }
    }
}
