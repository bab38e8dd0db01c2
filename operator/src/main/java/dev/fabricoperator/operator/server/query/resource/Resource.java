/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.view.question.UnansweredException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One path below a fabric: how it is described, and what answers it.
 *
 * @param name subresource of {@code fabrics} in the words of RBAC
 * @param paths as OpenAPI describes them, below the fabric
 * @param parameters by name, with what they mean; those of every path apart
 * @param verbs of RBAC
 */
record Resource(
        String name,
        String summary,
        List<String> paths,
        Map<String, String> parameters,
        Set<Format> formats,
        List<String> verbs,
        Route route) {

    /** Parameters of every path about a fabric. */
    static final Map<String, String> COMMON = Map.of(
            "generation", "Answer of this generation only; 410 when it is past, 409 when it is to come.",
            "view", "Coordinates to show: logical (default) or physical.",
            "plane", "Only this plane.",
            "format", "Format of the answer; goes before the Accept header.");

    /** Computes the answer. */
    @FunctionalInterface
    interface Route {
        QueryResponse answer(ResourceRequest request) throws StatusException, UnansweredException;
    }

    static Resource of(String name, String summary, List<String> paths, Map<String, String> parameters, Route route) {
        return new Resource(name, summary, paths, parameters, Set.of(Format.json), List.of("get"), route);
    }

    Set<String> knownParameters() {
        Set<String> known = new HashSet<>(COMMON.keySet());
        known.addAll(parameters.keySet());
        return known;
    }
}
