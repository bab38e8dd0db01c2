/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LineFormat;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the pod's specification tells pmixd, by environment variables.
 *
 * @param address that the other pods reach this one at
 * @param directory that both containers mount
 * @param privateDirectory that pmixd's container alone mounts, if it has one
 * @param assemblySeconds how long the job may take to become whole
 * @param restartsOnFailure whether the kubelet starts a container again that failed: then pmixd must fail with the launcher
 * @param devices whether the pod's devices are wanted
 * @param libraryVariables whether variables of communication libraries are wanted
 * @param servesRuns whether the pod's ranks are those of mpirun's runs, which it waits for
 * @param partsWhenDone whether its owner may be complete when this pod is, so that it waits for no other
 * @param requiresPmix whether a job of which no rank has called PMIx_Init is to fail
 * @param fixedRank the pod's only rank where no launcher starts it, {@code null} where one does
 * @param hostNetwork whether the pod is in its node's network, with processes that are not its own
 * @param clusterId what the cluster is known by, {@code null} where the webhook did not know it, or is of an earlier release
 * @param countsTraffic whether pmixd looks at what the pod sends
 * @param service addresses in the order to try them; the last is the Service's name, which the certificate is for
 */
record PodSettings(
        String podName,
        String podNamespace,
        InetAddress address,
        Path directory,
        Path privateDirectory,
        long assemblySeconds,
        boolean restartsOnFailure,
        boolean devices,
        boolean libraryVariables,
        boolean servesRuns,
        boolean partsWhenDone,
        boolean requiresPmix,
        @Nullable FixedRank fixedRank,
        boolean hostNetwork,
        @Nullable String clusterId,
        boolean countsTraffic,
        ServiceSettings service) {
    private static final String DEFAULT_DIRECTORY = "/run/fabric-operator";
    private static final String DEFAULT_TOKEN = "/var/run/secrets/fabric-operator/token";
    private static final String DEFAULT_ASSEMBLY_SECONDS = "600";

    /** @throws IllegalArgumentException naming the variable that is absent or cannot be understood */
    static PodSettings from(Map<String, String> environment) {
        List<String> services =
                LineFormat.split(required(environment, "FABRIC_JOB_SERVICE").replace("https://", ""), ',');
        InetAddress address = address("POD_IP", required(environment, "POD_IP"));
        boolean hostNetwork = isHostNetwork(environment, address);
        String directory = environment.getOrDefault("FABRIC_DIRECTORY", DEFAULT_DIRECTORY);
        return new PodSettings(
                required(environment, "POD_NAME"),
                required(environment, "POD_NAMESPACE"),
                address,
                Path.of(directory),
                Path.of(environment.getOrDefault("FABRIC_PRIVATE_DIRECTORY", directory)),
                number(environment, "FABRIC_ASSEMBLY_TIMEOUT_SECONDS", DEFAULT_ASSEMBLY_SECONDS),
                "OnFailure".equals(environment.get("POD_RESTART_POLICY")),
                !"false".equals(environment.get("FABRIC_INJECT_DEVICES")),
                !"false".equals(environment.get("FABRIC_INJECT_ENV")),
                "true".equals(environment.get("FABRIC_SERVES_RUNS")),
                "true".equals(environment.get("FABRIC_PARTS_WHEN_DONE")),
                "true".equals(environment.get("FABRIC_REQUIRE_PMIX")),
                FixedRank.from(environment),
                hostNetwork,
                environment.get("FABRIC_CLUSTER_ID"),
                !"off".equals(environment.get("TRAFFIC")),
                new ServiceSettings(
                        services,
                        hostOf(services.getLast()),
                        required(environment, "FABRIC_JOB_SERVICE_CA"),
                        Path.of(environment.getOrDefault("FABRIC_TOKEN_FILE", DEFAULT_TOKEN))));
    }

    /** Whether pmixd has a container of its own, beside that of the ranks. */
    boolean isInOwnContainer() {
        return !privateDirectory.equals(directory);
    }

    private static String required(Map<String, String> environment, String name) {
        String value = environment.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the variable " + name + " is not set");
        }
        return value.strip();
    }

    private static String hostOf(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon < 0 ? authority : authority.substring(0, colon);
    }

    private static long number(Map<String, String> environment, String name, String otherwise) {
        String value = environment.getOrDefault(name, otherwise);
        try {
            long number = Long.parseLong(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As for a number that makes no sense.
        }
        throw new IllegalArgumentException("the variable " + name + " is no number of seconds: " + value);
    }

    /** A literal address is not looked up. */
    private static InetAddress address(String variable, String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the variable " + variable + " is no address: " + text, e);
        }
    }

    /** A pod has its node's address with hostNetwork only. The kubelet writes both. */
    private static boolean isHostNetwork(Map<String, String> environment, InetAddress pod) {
        String host = environment.get("HOST_IP");
        boolean hostNetwork = host != null && address("HOST_IP", host).equals(pod);
        if (hostNetwork && !"allowed".equals(environment.get("FABRIC_HOST_NETWORK"))) {
            throw new IllegalArgumentException(
                    "this pod has spec.hostNetwork, with which its ports are the node's: leave hostNetwork out, or ask for it, so that FABRIC_HOST_NETWORK is allowed");
        }
        return hostNetwork;
    }
}
