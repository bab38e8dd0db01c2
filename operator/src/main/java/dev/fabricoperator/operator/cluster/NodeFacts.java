/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is kept of a Node.
 *
 * @param ready what the condition of that type says; a node without it has not reported yet and is not ready
 * @param labels sorted; keys and values are shared between nodes
 */
public record NodeFacts(String name, String uid, String resourceVersion, boolean ready, Map<String, String> labels)
        implements Fact {

    public static NodeFacts of(Node node) {
        List<NodeCondition> conditions =
                node.getStatus() == null ? List.of() : node.getStatus().getConditions();
        Map<String, String> labels = new TreeMap<>();
        Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.<String, String>of())
                .forEach((key, value) -> labels.put(key.intern(), value.intern()));
        return new NodeFacts(
                node.getMetadata().getName().intern(),
                Objects.requireNonNullElse(node.getMetadata().getUid(), ""),
                Objects.requireNonNullElse(node.getMetadata().getResourceVersion(), ""),
                conditions.stream().anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus())),
                labels);
    }

    boolean meansTheSameAs(NodeFacts other) {
        return ready == other.ready && labels.equals(other.labels);
    }
}
