/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the LimitRanges of a namespace ask of every container. The API server checks them after the webhook, and a container that an operator adds
 * must not be what refuses the pod.
 *
 * @param limits elements of {@code spec.limits} whose {@code type} is Container
 * @param ofPods those whose {@code type} is Pod: all containers together
 */
public record ContainerBounds(List<JsonNode> limits, List<JsonNode> ofPods) {
    public static final ContainerBounds NONE = new ContainerBounds(List.of(), List.of());

    public ContainerBounds {
        limits = List.copyOf(limits);
        ofPods = List.copyOf(ofPods);
    }

    /** @param specs {@code spec} of each LimitRange */
    static ContainerBounds of(Iterable<JsonNode> specs) {
        List<JsonNode> found = new ArrayList<>();
        List<JsonNode> pods = new ArrayList<>();
        for (JsonNode spec : specs) {
            for (JsonNode limit : spec.path("limits")) {
                if (limit.path("type").asText().equals("Container")) {
                    found.add(limit);
                } else if (limit.path("type").asText().equals("Pod")) {
                    pods.add(limit);
                }
            }
        }
        return new ContainerBounds(found, pods);
    }

    /** The least that a container must ask for, zero without such a bound. */
    BigDecimal minimum(String resource) {
        return limits.stream()
                .map(limit -> orZero(Qos.amount(limit.path("min").path(resource))))
                .reduce(BigDecimal.ZERO, BigDecimal::max);
    }

    /** The most that a container may take, {@code null} without such a bound. A bound also wants a limit to be named. */
    @Nullable
    BigDecimal maximum(String resource) {
        return least(limits, "max", resource);
    }

    /** The most that all containers of a pod may take together, {@code null} without such a bound. */
    @Nullable
    BigDecimal maximumOfPod(String resource) {
        return least(ofPods, "max", resource);
    }

    /** How many times its request a limit may be, {@code null} without such a bound. */
    @Nullable
    BigDecimal ratio(String resource) {
        return least(limits, "maxLimitRequestRatio", resource);
    }

    /** Whether the API server gives a container a limit, or a request, that names none. */
    boolean isDefaulted(String resource) {
        return limits.stream()
                .anyMatch(limit -> limit.path("default").has(resource)
                        || limit.path("defaultRequest").has(resource));
    }

    /** How many times the requests of all containers of a pod their limits may be, {@code null} without such a bound. */
    @Nullable
    BigDecimal ratioOfPod(String resource) {
        return least(ofPods, "maxLimitRequestRatio", resource);
    }

    private static @Nullable BigDecimal least(List<JsonNode> limits, String bound, String resource) {
        BigDecimal least = null;
        for (JsonNode limit : limits) {
            BigDecimal found =
                    Qos.amount(limit.has(bound) ? limit.path(bound).path(resource) : MissingNode.getInstance());
            if (found != null && (least == null || found.compareTo(least) < 0)) {
                least = found;
            }
        }
        return least;
    }

    private static BigDecimal orZero(@Nullable BigDecimal amount) {
        return amount == null ? BigDecimal.ZERO : amount;
    }
}
