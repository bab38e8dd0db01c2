/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The quality-of-service class that the kubelet gives a pod.
 *
 * @see "Kubernetes, pkg/apis/core/v1/helper/qos: ComputePodQOS"
 */
enum Qos {
    GUARANTEED,
    BURSTABLE,
    BEST_EFFORT;

    private static final List<String> COMPUTE = List.of("cpu", "memory");
    /** To read a number of a million digits takes ten seconds. */
    private static final int LONGEST_QUANTITY = 64;

    static Qos of(JsonNode spec) {
        List<JsonNode> all = new ArrayList<>();
        if (hasPodLevel(spec)) {
            all.add(spec.path("resources"));
        } else {
            for (String list : List.of("containers", "initContainers")) {
                spec.path(list).forEach(container -> all.add(container.path("resources")));
            }
        }
        boolean anything = false;
        boolean guaranteed = true;
        for (JsonNode resources : all) {
            for (String resource : COMPUTE) {
                BigDecimal limit = positive(resources.path("limits").path(resource));
                BigDecimal request = amount(resources.path("requests").path(resource));
                anything |= limit != null || (request != null && request.signum() > 0);
                // A request that is not written is the limit; one of zero is less.
                guaranteed &= limit != null && (request == null || request.compareTo(limit) == 0);
            }
        }
        return !anything ? BEST_EFFORT : guaranteed ? GUARANTEED : BURSTABLE;
    }

    /** Whether the pod has resources as a whole, beside which its containers need none. */
    static boolean hasPodLevel(JsonNode spec) {
        JsonNode resources = spec.path("resources");
        return COMPUTE.stream()
                .anyMatch(r -> resources.path("limits").has(r)
                        || resources.path("requests").has(r));
    }

    private static @Nullable BigDecimal positive(JsonNode quantity) {
        BigDecimal amount = amount(quantity);
        return amount == null || amount.signum() <= 0 ? null : amount;
    }

    /** In cores or bytes; {@code null} for what is missing or no quantity, which the API server refuses by itself. */
    static @Nullable BigDecimal amount(JsonNode quantity) {
        if ((!quantity.isTextual() && !quantity.isNumber()) || quantity.asText().length() > LONGEST_QUANTITY) {
            return null;
        }
        try {
            return Quantity.parse(quantity.asText()).getNumericalAmount();
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }
}
