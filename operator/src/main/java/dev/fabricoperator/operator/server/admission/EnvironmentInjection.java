/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** {@code launch: env}: variables and a file that name devices, of which only the node decides. What the container sets itself stays. */
final class EnvironmentInjection {
    private EnvironmentInjection() {}

    /**
     * Adds the variables to a container of a pod that is to be made: those of levels, and those of devices with values that leave the choice to the library.
     *
     * @param levels variables of levels of service, which are those of every node
     * @param devices whether those of devices are wanted
     * @return what the pod's author should know
     */
    static List<String> prepare(ObjectNode pod, ObjectNode container, Map<String, String> levels, boolean devices) {
        if (!container.path("envFrom").isEmpty()) {
            return List.of("container " + container.path("name").asText()
                    + " takes variables from elsewhere (envFrom), which would not win over those of its devices and levels: none is set;"
                    + " write them into env");
        }
        Set<String> own = new HashSet<>();
        container.path("env").forEach(variable -> own.add(variable.path("name").asText()));
        levels.forEach((name, value) -> {
            if (!own.contains(name)) {
                container.withArray("env").addObject().put("name", name).put("value", value);
            }
        });
        for (DeviceVariable variable : DeviceVariable.values()) {
            if (devices
                    && !own.contains(variable.name())
                    && variable.isFor(pod.at("/spec/hostNetwork").asBoolean())) {
                pod.withObject("/metadata/labels").put(LaunchApi.LAUNCH, LaunchApi.ENV);
                pod.withObject("/metadata/annotations").put(variable.annotation(), variable.neutral());
                container
                        .withArray("env")
                        .addObject()
                        .put("name", variable.name())
                        .putObject("valueFrom")
                        .putObject("fieldRef")
                        .put("fieldPath", "metadata.annotations['" + variable.annotation() + "']");
            }
        }
        if (devices && PodVolumes.addPlace(pod, container)) {
            pod.withObject("/metadata/labels").put(LaunchApi.LAUNCH, LaunchApi.ENV);
            pod.withObject("/metadata/annotations").put(LaunchApi.PLACE, PodPlace.UNKNOWN);
        }
        return List.of();
    }

    /** The variables that a pod takes from its annotations, as it was made. */
    private static Set<DeviceVariable> wanted(JsonNode pod) {
        Set<DeviceVariable> wanted = EnumSet.noneOf(DeviceVariable.class);
        for (DeviceVariable variable : DeviceVariable.values()) {
            if (pod.at("/metadata/annotations").path(variable.annotation()).isTextual()) {
                wanted.add(variable);
            }
        }
        return wanted;
    }

    /**
     * Names the devices of the node to which a pod is bound, and where that is.
     *
     * @param binding gets the annotations, which the API server hands on to the pod
     * @param place what {@code place.json} is to say
     */
    static void bind(ObjectNode binding, JsonNode pod, DeviceVariable.Node node, Supplier<String> place) {
        if (pod.at("/metadata/annotations").path(LaunchApi.PLACE).isTextual()) {
            binding.withObject("/metadata/annotations").put(LaunchApi.PLACE, place.get());
        }
        boolean hostNetwork = pod.at("/spec/hostNetwork").asBoolean();
        for (DeviceVariable variable : wanted(pod)) {
            String value = variable.on(node, hostNetwork);
            if (!value.equals(variable.neutral())) {
                binding.withObject("/metadata/annotations").put(variable.annotation(), value);
            }
        }
    }
}
