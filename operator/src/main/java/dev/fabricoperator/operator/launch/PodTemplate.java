/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod template asks for.
 *
 * @param direct whether it asks for a direct launch
 * @param request defaults where nothing is asked for or {@code problem} is not {@code null}
 * @param problem why its annotations cannot be used
 */
record PodTemplate(
        boolean direct, LaunchRequest request, @Nullable String problem) {
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
}
