/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;

/** A Kubernetes that tests and the demo may use as administrator. */
public interface Cluster extends AutoCloseable {
    /** A client with the administrator's rights; belongs to the cluster and is closed with it. */
    KubernetesClient admin();

    /** Base address of the API server. */
    String server();

    /** The certificates that the API server's must chain to, as PEM. */
    String authorityPem();

    /** Administrator's kubeconfig, for kubectl and for programs under test. */
    Path kubeconfig();

    /** The kubectl that fits the cluster's version. */
    Path kubectl();

    @Override
    void close();
}
