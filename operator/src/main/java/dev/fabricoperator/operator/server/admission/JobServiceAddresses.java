/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/** Where the replicas of the job service are, for pods that shall not wait for a name to be looked up. */
final class JobServiceAddresses implements AutoCloseable {
    private static final String DEFAULT_PORT = "9444";
    /** More would only make the environment longer: one that answers knows the others. */
    private static final int MOST = 4;

    private final KubernetesClient client;
    private final String namespace;
    private @Nullable SharedIndexInformer<EndpointSlice> informer;

    JobServiceAddresses(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    synchronized void start() {
        SharedIndexInformer<EndpointSlice> made = client.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(namespace)
                .withLabel(ReadyEndpoints.SERVICE_LABEL, LaunchApi.JOB_SERVICE)
                .runnableInformer(0);
        made.exceptionHandler((started, problem) -> true);
        made.start();
        informer = made;
    }

    /** URLs, those of ready replicas first and the Service's name last. */
    synchronized List<String> urls() {
        List<EndpointSlice> slices =
                informer == null ? List.of() : informer.getStore().list();
        return urls(slices, "https://" + LaunchApi.JOB_SERVICE + "." + namespace + ".svc");
    }

    static List<String> urls(List<EndpointSlice> slices, String name) {
        SequencedSet<String> ready = ReadyEndpoints.of(slices);
        List<String> urls = new ArrayList<>(
                ready.stream().limit(MOST).map(each -> "https://" + each).toList());
        // The Service is headless: its name leads to the same port.
        String port = ready.isEmpty()
                ? DEFAULT_PORT
                : ready.getFirst().substring(ready.getFirst().lastIndexOf(':') + 1);
        urls.add(name + ":" + port);
        return urls;
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.stop();
        }
    }
}
