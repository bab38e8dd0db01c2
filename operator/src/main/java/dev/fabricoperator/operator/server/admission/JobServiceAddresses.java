/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/** Where the replicas of the job service are, for pods that shall not wait for a name to be looked up. */
final class JobServiceAddresses {
    private static final String DEFAULT_PORT = "9444";
    /** More would only make the environment longer: one that answers knows the others. */
    private static final int MOST = 4;

    private final KubernetesClient client;
    private final String namespace;
    private final Informers informers;
    private volatile SequencedSet<String> ready = Collections.unmodifiableSequencedSet(new LinkedHashSet<>());

    JobServiceAddresses(KubernetesClient client, Informers informers, String namespace) {
        this.client = client;
        this.informers = informers;
        this.namespace = namespace;
    }

    void start() {
        ReadyEndpoints.watch(informers, client, namespace, LaunchApi.JOB_SERVICE, now -> ready = now);
    }

    /** URLs, those of ready replicas first and the Service's name last. */
    List<String> urls() {
        return urls(ready, "https://" + LaunchApi.JOB_SERVICE + "." + namespace + ".svc");
    }

    static List<String> urls(SequencedSet<String> ready, String name) {
        List<String> urls = new ArrayList<>(
                ready.stream().limit(MOST).map(each -> "https://" + each).toList());
        // The Service is headless: its name leads to the same port.
        String port = ready.isEmpty()
                ? DEFAULT_PORT
                : ready.getFirst().substring(ready.getFirst().lastIndexOf(':') + 1);
        urls.add(name + ":" + port);
        return urls;
    }
}
