/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.nio.file.Path;
import java.util.Map;

/**
 * A node that is to join a cluster.
 *
 * @param name Kubernetes' name of it
 * @param hostRoot directory with the node's {@code sys}, {@code proc} and {@code etc}
 * @param internalIp address in the Node's status; nothing has to listen there
 */
public record NodeSpec(String name, Path hostRoot, String internalIp, Map<String, String> labels) {
    public NodeSpec {
        labels = Map.copyOf(labels);
    }
}
