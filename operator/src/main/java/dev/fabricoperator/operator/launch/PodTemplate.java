/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod template asks for.
 *
 * @param direct whether it asks for a direct launch
 * @param request defaults where nothing is asked for or {@code problem} is not {@code null}
 * @param problem why its annotations cannot be used
 */
public record PodTemplate(
        boolean direct, LaunchRequest request, @Nullable String problem) {
    /** An annotation. */
    public static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

    static PodTemplate of(JsonNode template) {
        Map<String, String> annotations = LaunchRequest.annotations(template);
        boolean direct = LaunchRequest.isDirect(annotations);
        try {
            LaunchRequest request = LaunchRequest.of(annotations);
            return new PodTemplate(direct, request == null ? LaunchRequest.DEFAULTS : request, null);
        } catch (LaunchRequest.InvalidAnnotationException e) {
            return new PodTemplate(direct, LaunchRequest.DEFAULTS, e.getMessage());
        }
    }

    /**
     * The container that runs the ranks, by its annotation or as the default one, else the first. Whoever injects a container of his own says with the latter
     * which is the user's.
     *
     * @param pod or a template of one
     * @return a missing node where there is none of the name that the annotation says
     */
    public static JsonNode application(JsonNode pod, @Nullable LaunchRequest request) {
        String wanted = request == null ? null : request.container();
        String named = wanted != null
                ? wanted
                : pod.at("/metadata/annotations").path(DEFAULT_CONTAINER).asText();
        for (JsonNode container : pod.at("/spec/containers")) {
            if (container.path("name").asText().equals(named)) {
                return container;
            }
        }
        return wanted == null ? pod.at("/spec/containers/0") : MissingNode.getInstance();
    }

    /** Whether a container that a launcher starts is not ready before its ranks run. A liveness probe other than by a command gets a startup probe. */
    public static boolean readyAfterStart(JsonNode container) {
        return container.has("readinessProbe")
                || container.has("startupProbe")
                || (container.has("livenessProbe")
                        && !container.path("livenessProbe").has("exec"));
    }
}
