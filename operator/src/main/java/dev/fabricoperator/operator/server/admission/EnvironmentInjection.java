/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code launch: env}: variables that name devices, of which only the node decides. What the container sets itself stays. */
final class EnvironmentInjection {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private EnvironmentInjection() {}

    /** Adds the variables to a pod that is to be made, with values that leave the choice to the library. */
    static AdmissionDecision prepare(ObjectNode pod, int index) {
        String path = "/spec/containers/" + index;
        JsonNode container = pod.at(path);
        if (!container.path("envFrom").isEmpty()) {
            return new AdmissionDecision.Allowed(
                    List.of("container " + container.path("name").asText()
                            + " takes variables from elsewhere (envFrom), which would not win over those of its devices: none is set;"
                            + " write them into env"));
        }
        Set<String> own = new HashSet<>();
        container.path("env").forEach(variable -> own.add(variable.path("name").asText()));
        ObjectPatch patch = new ObjectPatch(pod);
        for (DeviceVariable variable : DeviceVariable.values()) {
            if (!own.contains(variable.name())
                    && variable.isFor(pod.at("/spec/hostNetwork").asBoolean())) {
                patch.set("/metadata/annotations", variable.annotation(), JSON.textNode(variable.neutral()));
                ObjectNode entry = JSON.objectNode().put("name", variable.name());
                entry.putObject("valueFrom")
                        .putObject("fieldRef")
                        .put("fieldPath", "metadata.annotations['" + variable.annotation() + "']");
                patch.append(path, "env", entry);
            }
        }
        if (patch.operations().isEmpty()) {
            return AdmissionDecision.ALLOWED;
        }
        patch.set("/metadata/labels", LaunchApi.LAUNCH, JSON.textNode(LaunchApi.ENV));
        return new AdmissionDecision.Patched(patch.operations(), List.of());
    }

    /**
     * Names the devices of the node to which a pod is bound.
     *
     * @param binding gets the annotations, which the API server hands on to the pod
     * @param pod as it was made
     */
    static AdmissionDecision bind(ObjectNode binding, JsonNode pod, List<DeviceVariable.NodeDevice> devices) {
        ObjectPatch patch = new ObjectPatch(binding);
        for (DeviceVariable variable : DeviceVariable.values()) {
            String value = variable.on(devices);
            if (pod.at("/metadata/annotations").path(variable.annotation()).isTextual()
                    && !value.equals(variable.neutral())) {
                patch.set("/metadata/annotations", variable.annotation(), JSON.textNode(value));
            }
        }
        return patch.operations().isEmpty()
                ? AdmissionDecision.ALLOWED
                : new AdmissionDecision.Patched(patch.operations(), List.of());
    }
}
