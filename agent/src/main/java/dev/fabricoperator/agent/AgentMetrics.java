/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of one agent, in the text format of Prometheus. */
final class AgentMetrics {

    final AtomicLong devices = new AtomicLong();
    final AtomicLong readErrors = new AtomicLong();
    final AtomicLong discoveries = new AtomicLong();
    final AtomicLong discoveryNanoseconds = new AtomicLong();
    final AtomicLong applied = new AtomicLong();
    final AtomicLong deleted = new AtomicLong();
    final AtomicLong failures = new AtomicLong();
    final AtomicLong healthLooks = new AtomicLong();
    final AtomicLong healthNanoseconds = new AtomicLong();
    final AtomicLong impairments = new AtomicLong();
    final AtomicLong ready = new AtomicLong();

    String text() {
        StringBuilder text = new StringBuilder();
        gauge(text, "ready", "Whether the first complete look at the host is published", ready.get());
        gauge(text, "devices", "FabricDevices of this node", devices.get());
        gauge(text, "read_errors", "Files that could not be read at the last look", readErrors.get());
        counter(text, "looks_total", "Whole looks at the host", discoveries.get());
        counter(text, "look_seconds_total", "Time spent in whole looks at the host", seconds(discoveryNanoseconds));
        gauge(text, "impairments", "Signs that links of this node are about to fail", impairments.get());
        counter(text, "health_looks_total", "Looks at the counters and temperatures of links", healthLooks.get());
        counter(
                text,
                "health_look_seconds_total",
                "Time spent in looks at the counters and temperatures of links",
                seconds(healthNanoseconds));
        counter(text, "applied_total", "FabricDevices created or changed", applied.get());
        counter(text, "deleted_total", "FabricDevices deleted", deleted.get());
        counter(text, "publish_failures_total", "Rounds in which the API server refused or was away", failures.get());
        return text.toString();
    }

    private static String seconds(AtomicLong nanoseconds) {
        return String.format(Locale.ROOT, "%.6f", nanoseconds.get() / 1e9);
    }

    private static void gauge(StringBuilder text, String name, String help, long value) {
        metric(text, name, help, "gauge", Long.toString(value));
    }

    private static void counter(StringBuilder text, String name, String help, long value) {
        counter(text, name, help, Long.toString(value));
    }

    private static void counter(StringBuilder text, String name, String help, String value) {
        metric(text, name, help, "counter", value);
    }

    private static void metric(StringBuilder text, String name, String help, String type, String value) {
        String full = "fabric_agent_" + name;
        text.append("# HELP ").append(full).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(full).append(' ').append(type).append('\n');
        text.append(full).append(' ').append(value).append('\n');
    }
}
