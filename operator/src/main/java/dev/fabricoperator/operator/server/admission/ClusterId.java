/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.jspecify.annotations.Nullable;

/** What others know the cluster by, which has no name of its own: the UID of its namespace {@code kube-system}. */
final class ClusterId {
    private final SharedIndexInformer<Namespace> informer;

    ClusterId(KubernetesClient client, Informers informers) {
        informer = informers.make(client.namespaces().withName("kube-system"));
    }

    /** Returns at once. */
    void start() {
        informer.start();
    }

    /** {@code null} until it has been read. */
    @Nullable
    String known() {
        return informer.getStore().list().stream()
                .map(namespace -> namespace.getMetadata().getUid())
                .findFirst()
                .orElse(null);
    }
}
