/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;

/** The project's own manifests, on a cluster. */
public final class Manifests {
    private Manifests() {}

    /** Applies {@code config/default}; returns when the API server knows the resources. */
    public static void apply(Cluster cluster) {
        Command kubectl = Command.kubectl(cluster);
        kubectl.run(
                "apply",
                "--server-side",
                "-k",
                ProjectRoot.find().resolve("config/default").toString());
        kubectl.run("wait", "--for=condition=Established", "--timeout=60s", "--all", "crd");
    }
}
