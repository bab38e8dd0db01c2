/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Cluster;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.net.URI;
import java.util.List;

/** A Service of the operator's whose endpoints are processes of this machine. */
public final class ServiceEndpoints {
    private ServiceEndpoints() {}

    /**
     * Makes the Service lead to these servers: it loses its selector, which would look for pods.
     *
     * @param servers {@code https://address:port}, no loopback addresses
     */
    public static void point(Cluster cluster, String service, List<URI> servers) {
        cluster.admin()
                .services()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName(service)
                .delete();
        cluster.admin()
                .resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName(service)
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
                            .withName(service + "-" + number++)
                            .withNamespace(OperatorProcess.NAMESPACE)
                            .addToLabels("kubernetes.io/service-name", service)
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
                    .createOr(NonDeletingOperation::update);
        }
    }
}
