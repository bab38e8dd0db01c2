/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;

/** The command of a container whose ranks the launcher starts. */
final class RankCommand {
    private RankCommand() {}

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
