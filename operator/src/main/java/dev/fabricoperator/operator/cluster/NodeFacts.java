/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What is kept of a Node.
 *
 * @param ready what the condition of that type says; a node without it has not reported yet and is not ready
 * @param labels sorted; keys and values are shared between nodes
 * @param annotations those alone that say its place
 */
public record NodeFacts(
        String name,
        String uid,
        String resourceVersion,
        boolean ready,
        Map<String, String> labels,
        Map<String, String> annotations)
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
                labels,
                annotations(node));
    }

    private static Map<String, String> annotations(Node node) {
        Map<String, String> all =
                Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.<String, String>of());
        Map<String, String> places = new HashMap<>();
        for (String key : PlaceLabels.ANNOTATIONS) {
            if (all.get(key) instanceof String value) {
                places.put(key, value.intern());
            }
        }
        return Map.copyOf(places);
    }

    /** What the operator writes there itself is no news for a model. */
    boolean meansTheSameAs(NodeFacts other) {
        return ready == other.ready && labels(NodeFacts::isForModels).equals(other.labels(NodeFacts::isForModels));
    }

    boolean hasTheSameLabelsOfOthers(NodeFacts other) {
        return labels.equals(other.labels)
                || labels(NodeFacts::isForModels).equals(other.labels(NodeFacts::isForModels));
    }

    /** Whether what the operator writes there itself is as it was. */
    boolean isPlacedAs(NodeFacts other) {
        return uid.equals(other.uid)
                && annotations.equals(other.annotations)
                && labels(key -> !isForModels(key)).equals(other.labels(key -> !isForModels(key)));
    }

    private static boolean isForModels(String key) {
        return !PlaceLabels.isOurs(key) && !PlaceLabels.isTopographs(key);
    }

    private Map<String, String> labels(Predicate<String> which) {
        Map<String, String> some = new TreeMap<>(labels);
        some.keySet().removeIf(which.negate());
        return some;
    }
}
