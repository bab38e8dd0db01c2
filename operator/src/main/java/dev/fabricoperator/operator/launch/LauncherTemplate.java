/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What the template of an MPIJob's launcher says now. The MPI Operator makes the launcher's Job once, also while the MPIJob is suspended, so that its pod comes from a copy that may be older.
 *
 * @param annotations those that {@link LaunchRequest} reads
 * @param container that runs the program
 * @param command hash of its command and arguments
 */
public record LauncherTemplate(Map<String, String> annotations, String container, int command) {
    /** Characters: longer values mean nothing, and are refused with fewer of them. */
    private static final int LONGEST_VALUE = 100;

    public LauncherTemplate {
        annotations = Map.copyOf(annotations);
    }

    static LauncherTemplate of(JsonNode template) {
        Map<String, String> kept = new HashMap<>();
        LaunchRequest.annotations(template).forEach((name, value) -> {
            if (LaunchRequest.reads(name)) {
                String word = value.strip();
                kept.put(name, word.length() > LONGEST_VALUE ? word.substring(0, LONGEST_VALUE) : word);
            }
        });
        JsonNode container =
                PodTemplate.application(template, PodTemplate.of(template).request());
        String name = container.path("name").asText();
        return new LauncherTemplate(kept, name.length() > LONGEST_VALUE ? "" : name, command(container));
    }

    private static int command(JsonNode container) {
        return Objects.hash(container.path("command"), container.path("args"));
    }

    /** @param pod that nobody has put a launcher into */
    public boolean hasOtherCommand(JsonNode pod) {
        for (JsonNode each : pod.at("/spec/containers")) {
            if (each.path("name").asText().equals(container)) {
                return command(each) != command;
            }
        }
        return false;
    }
}
