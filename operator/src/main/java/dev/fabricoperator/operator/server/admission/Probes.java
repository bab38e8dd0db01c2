/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;

/**
 * Probes of the container of the ranks, which the kubelet makes from the container's start on, long before its ranks can run. The launcher answers in
 * their place: a probe that is a command is put behind it, and one that is not begins when a startup probe by the launcher has succeeded.
 *
 * @see "Pod lifecycle, container probes"
 */
final class Probes {
    private static final String LIVENESS = "livenessProbe";
    private static final String STARTUP = "startupProbe";
    private static final String DELAY_SECONDS = "initialDelaySeconds";
    private static final String FAILURE_THRESHOLD = "failureThreshold";
    /** What the API server fills in. */
    private static final int DEFAULT_PERIOD_SECONDS = 10;

    private static final int DEFAULT_FAILURES = 3;
    /** Of the probe that is added: each starts a process in the container. */
    private static final int PERIOD_SECONDS = 2;

    private static final String ALIVE = "0";
    private static final String NOT_STARTED = "1";

    private Probes() {}

    /** @throws DeniedException for a hook that stands before the ranks, which come when it has ended and others are there */
    static void check(JsonNode container) throws DeniedException {
        JsonNode hook = container.at("/lifecycle/postStart");
        for (String action : List.of("exec", "httpGet", "tcpSocket")) {
            if (hook.has(action)) {
                throw new DeniedException("container " + container.path("name").asText() + " has lifecycle.postStart."
                        + action + ", which the kubelet runs when the launcher has started and before any rank runs, so"
                        + " that a hook that waits for the program never ends: do it in an init container, or in the"
                        + " command before the program");
            }
        }
    }

    /**
     * @param container whose command is the launcher's
     * @param assembly how long that may wait for other pods
     * @return what the pod's author should know
     */
    static List<String> hold(ObjectNode container, Duration assembly) {
        String launcher = container.path("command").path(0).asText();
        boolean started = container.path(STARTUP) instanceof ObjectNode;
        if (container.path(STARTUP) instanceof ObjectNode startup) {
            putBehind(startup, launcher, NOT_STARTED);
            int period = startup.path("periodSeconds").asInt(DEFAULT_PERIOD_SECONDS);
            long failures = startup.path(FAILURE_THRESHOLD).asLong(DEFAULT_FAILURES)
                    + Math.ceilDiv(assembly.toSeconds(), Math.max(1, period));
            startup.put(FAILURE_THRESHOLD, (int) Math.min(failures, Integer.MAX_VALUE));
        }
        if (!(container.path(LIVENESS) instanceof ObjectNode liveness) || putBehind(liveness, launcher, ALIVE)) {
            return List.of();
        }
        if (!started) {
            ObjectNode probe = container.putObject(STARTUP);
            ArrayNode command = probe.putObject("exec").putArray("command");
            launcherProbe(liveness, launcher, NOT_STARTED).forEach(command::add);
            probe.put("periodSeconds", PERIOD_SECONDS).put(FAILURE_THRESHOLD, Integer.MAX_VALUE);
        }
        return List.of(
                "the livenessProbe of container " + container.path("name").asText()
                        + " is made when its ranks have run once, also while they wait for others after a pod was lost: with"
                        + " exec instead of another way the launcher answers it until they run again");
    }

    /** Whether the probe is a command. */
    private static boolean putBehind(ObjectNode probe, String launcher, String code) {
        JsonNode own = probe.at("/exec/command");
        if (!own.isArray()) {
            return false;
        }
        ArrayNode command = JsonNodeFactory.instance.arrayNode();
        launcherProbe(probe, launcher, code).forEach(command::add);
        command.add("--");
        own.forEach(command::add);
        probe.withObject("/exec").set("command", command);
        return true;
    }

    /** The delay is one after the program's start, and not after that of the container. */
    private static List<String> launcherProbe(JsonNode probe, String launcher, String code) {
        int delay = probe.path(DELAY_SECONDS).asInt(0);
        return delay > 0
                ? List.of(launcher, "--probe", code, "--running", Integer.toString(delay))
                : List.of(launcher, "--probe", code);
    }
}
