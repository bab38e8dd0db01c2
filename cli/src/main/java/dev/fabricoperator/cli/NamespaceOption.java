/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Of commands that ask about an object of a namespace. */
final class NamespaceOption {
    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Default is that of the kubeconfig's context.")
    @Nullable
    String name;
}
