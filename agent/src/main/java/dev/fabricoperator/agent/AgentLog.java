/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One line on standard error for each thing that an administrator may want to know.
 *
 * <p>java.util.logging would cost more memory than an agent's few messages are worth.
 */
final class AgentLog {

    private final String node;

    AgentLog(String node) {
        this.node = node;
    }

    void info(String message) {
        line("INFO", message);
    }

    void warn(String message) {
        line("WARN", message);
    }

    private void line(String level, String message) {
        System.err.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + level + " [" + node + "] " + message);
    }
}
