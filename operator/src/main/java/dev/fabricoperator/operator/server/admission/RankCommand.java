/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.RankBindTo;
import java.util.Arrays;
import java.util.List;

/** The command of a container whose ranks the launcher starts. */
final class RankCommand {
    private RankCommand() {}

    /** What the launcher is told of the ranks. */
    static List<String> options(LaunchRequest request) {
        String ranks = Integer.toString(request.ranksPerPod());
        return request.bindTo() == RankBindTo.none
                ? List.of("--ranks", ranks)
                : List.of("--ranks", ranks, "--bind", request.bindTo().name());
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
