/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.PodFact;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/** Pods that are launched directly, of all namespaces. */
final class DirectPods {
    private final KubernetesClient client;
    private final FactStore<Pod, PodFact> store = new FactStore<>(PodFact::of, Pod::new);
    private final Informers informers;

    DirectPods(KubernetesClient client, Informers informers) {
        this.client = client;
        this.informers = informers;
    }

    /** Begins to watch, and returns at once. A pod that no node has yet can say nothing, and there may be thousands that wait for one. */
    void start(FactStore.Listener<PodFact> changed) {
        store.listen(changed);
        informers.start(
                client.pods()
                        .inAnyNamespace()
                        .withLabel(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                        .withoutField("spec.nodeName", ""),
                store);
    }

    /**
     * The pod of that name and UID, from memory or from the API server: its container may be quicker than the watch.
     *
     * @return {@code null} where there is no such pod
     * @throws KubernetesClientException where the API server does not answer
     */
    @Nullable
    PodFact find(String namespace, String name, String uid) {
        PodFact known = store.fact(namespace + "/" + name);
        if (known != null && known.uid().equals(uid) && known.nodeName() != null) {
            return known;
        }
        return ask(namespace, name, uid);
    }

    /** The same from the API server alone. */
    @Nullable
    PodFact ask(String namespace, String name, String uid) {
        Pod pod = client.pods().inNamespace(namespace).withName(name).get();
        PodFact found = pod == null ? null : PodFact.of(pod);
        return found == null || !found.uid().equals(uid) ? null : found;
    }
}
