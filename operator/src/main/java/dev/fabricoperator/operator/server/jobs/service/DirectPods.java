/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.launch.PodFact;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Pods that are launched directly, of all namespaces. */
final class DirectPods {
    /** Pods that are read at one time. */
    private static final int READS = 32;

    static final Duration READ_WAIT = Duration.ofSeconds(10);

    private final KubernetesClient client;
    private final ApiReader reader;
    private final Duration readWait;
    private final FactStore<Pod, PodFact> store = new FactStore<>(PodFact::of, Pod::new);
    private final Informers informers;

    /** @param readWait for the answer to the read of one pod */
    DirectPods(KubernetesClient client, Informers informers, Duration readWait) {
        this.client = client;
        this.reader = new ApiReader(client, READS);
        this.informers = informers;
        this.readWait = readWait;
    }

    /** Begins to watch, and returns at once. A pod that no node has yet can say nothing, and there may be thousands that wait for one. */
    void start(FactStore.Listener<PodFact> changed) {
        store.listen(changed);
        informers.startOfTenants(
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
     * @throws IOException where the API server does not answer
     */
    @Nullable
    PodFact find(String namespace, String name, String uid) throws IOException, InterruptedException {
        PodFact known = known(namespace, name);
        if (known != null && known.uid().equals(uid)) {
            return known;
        }
        return ask(namespace, name, uid);
    }

    /** The pod of that name from memory alone; {@code null} where it is not known, or has no node. */
    @Nullable
    PodFact known(String namespace, String name) {
        PodFact known = store.fact(namespace + "/" + name);
        return known == null || known.nodeName() == null ? null : known;
    }

    /** The same from the API server alone. */
    @Nullable
    PodFact ask(String namespace, String name, String uid) throws IOException, InterruptedException {
        Pod pod = get(namespace, name, uid);
        return pod == null ? null : PodFact.of(pod);
    }

    /** The very pod, from the API server: read with its size in mind, for anybody may ask who has a pod. */
    @Nullable
    Pod get(String namespace, String name, String uid) throws IOException, InterruptedException {
        ApiReader.ObjectPath path = ApiReader.ObjectPath.of("v1", "pods", namespace, name);
        if (path == null) {
            return null;
        }
        try {
            JsonNode found = reader.get(path, readWait);
            return found == null || !uid.equals(found.at("/metadata/uid").textValue())
                    ? null
                    : client.getKubernetesSerialization().convertValue(found, Pod.class);
        } catch (TimeoutException e) {
            throw new IOException("pod " + name + " was not read in time", e);
        }
    }
}
