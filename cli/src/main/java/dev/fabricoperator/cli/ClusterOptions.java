/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import java.io.File;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster is meant. */
final class ClusterOptions {
    @Option(names = "--context", paramLabel = "CONTEXT", description = "Context of the kubeconfig to use.")
    @Nullable
    String context;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Default is KUBECONFIG, then ~/.kube/config, then the pod's own account.")
    @Nullable
    File kubeconfig;
}
