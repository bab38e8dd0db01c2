/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import dev.fabricoperator.e2e.cluster.NodeSpec;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;

/**
 * A pod that is bound to a node and about to start.
 *
 * @param tokenFile the token of its service account, as a projected volume would hold it: bound to this pod, renewed before it expires
 */
public record BoundPod(Pod pod, NodeSpec node, Path tokenFile) {}
