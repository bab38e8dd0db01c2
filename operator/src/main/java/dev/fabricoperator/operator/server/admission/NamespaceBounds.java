/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;

/** The LimitRanges of all namespaces. */
final class NamespaceBounds {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SharedIndexInformer<LimitRange> informer;

    NamespaceBounds(KubernetesClient client, Informers informers) {
        informer = informers.make(client.limitRanges().inAnyNamespace());
    }

    /** Returns at once; until all have been read, those that were not bound nothing. */
    void start() {
        informer.start();
    }

    ContainerBounds of(String namespace) {
        List<LimitRange> ranges = informer.getIndexer().byIndex("namespace", namespace);
        return ranges.isEmpty()
                ? ContainerBounds.NONE
                : ContainerBounds.of(ranges.stream()
                        .<JsonNode>map(range -> JSON.valueToTree(range.getSpec()))
                        .toList());
    }
}
