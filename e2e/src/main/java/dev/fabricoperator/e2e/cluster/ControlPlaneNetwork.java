/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace that a control plane runs in. Its API server listens on port 443 of every address there, so that it also answers for the Service
 * {@code kubernetes}, whose address the namespace has on its loopback: no kube-proxy is needed for it. etcd stays on that loopback.
 *
 * @param namespace file that stands for it, such as {@code /proc/PID/ns/net}
 * @param address under which nodes, pods and this machine reach the API server
 */
public record ControlPlaneNetwork(Path namespace, String address) {
    /** First address of the Services' range. */
    public static final String KUBERNETES_SERVICE = "10.96.0.1";

    static final int API_SERVER_PORT = 443;

    /** The same command, run in the namespace. Unlike {@code ip netns exec} nsenter leaves /sys, and with it the control groups, as they are. */
    public List<String> inside(List<String> command) {
        List<String> whole = new ArrayList<>(List.of("nsenter", "--net=" + namespace, "--"));
        whole.addAll(command);
        return whole;
    }
}
