/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.RankBindTo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command of a container whose ranks the launcher starts. */
final class RankCommand {
    /** What a pod has that does not say another, and the launcher, too. */
    private static final long KUBERNETES_GRACE_SECONDS = 30;

    /** That the launcher takes. */
    private static final long MOST_GRACE_SECONDS = 999_999;

    private RankCommand() {}

    /** What the launcher is told of the ranks. */
    static List<String> options(JsonNode pod, LaunchRequest request) {
        List<String> options = new ArrayList<>(List.of("--ranks", Integer.toString(request.ranksPerPod())));
        if (request.bindTo() != RankBindTo.none) {
            options.addAll(List.of("--bind", request.bindTo().name()));
        }
        options.addAll(grace(pod));
        return options;
    }

    /** How long ranks may take to end, whoever ends them: as long as the pod may. */
    static List<String> grace(JsonNode pod) {
        JsonNode seconds = pod.at("/spec/terminationGracePeriodSeconds");
        return seconds.isNumber() && seconds.asLong() != KUBERNETES_GRACE_SECONDS
                ? List.of("--grace", Long.toString(Math.clamp(seconds.asLong(), 0, MOST_GRACE_SECONDS)))
                : List.of();
    }

    /** Puts the container's own command, with its arguments, behind that of the launcher. */
    static void putBehind(ObjectNode container, String... launcher) {
        ArrayNode command = JsonNodeFactory.instance.arrayNode();
        Arrays.stream(launcher).forEach(command::add);
        command.add("--");
        container.path("command").forEach(command::add);
        container.path("args").forEach(command::add);
        container.set("command", command);
        container.remove("args");
    }
}
