/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The LimitRanges of all namespaces. */
final class NamespaceBounds implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;
    private @Nullable SharedIndexInformer<LimitRange> informer;

    NamespaceBounds(KubernetesClient client) {
        this.client = client;
    }

    synchronized void start() {
        SharedIndexInformer<LimitRange> made =
                client.limitRanges().inAnyNamespace().runnableInformer(0);
        made.exceptionHandler((started, problem) -> true);
        made.start();
        informer = made;
    }

    synchronized ContainerBounds of(String namespace) {
        if (informer == null) {
            return ContainerBounds.NONE;
        }
        List<LimitRange> ranges = informer.getIndexer().byIndex("namespace", namespace);
        return ranges.isEmpty()
                ? ContainerBounds.NONE
                : ContainerBounds.of(ranges.stream()
                        .<JsonNode>map(range -> JSON.valueToTree(range.getSpec()))
                        .toList());
    }

    @Override
    public synchronized void close() {
        if (informer != null) {
            informer.stop();
        }
    }
}
