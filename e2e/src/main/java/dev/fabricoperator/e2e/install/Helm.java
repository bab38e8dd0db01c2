/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Helm, as a user calls it, and the project's chart. */
public final class Helm {
    private static final String PLACE = "FABRIC_OPERATOR_HELM";

    private Helm() {}

    /** Without a cluster. */
    public static Command offline() {
        return new Command(List.of(program().toString()), environment());
    }

    /** As the cluster's administrator. */
    public static Command of(Cluster cluster) {
        return new Command(
                List.of(
                        program().toString(),
                        "--kubeconfig",
                        cluster.kubeconfig().toString()),
                environment());
    }

    public static Path chart() {
        return ProjectRoot.find().resolve("charts/fabric-operator");
    }

    private static Path program() {
        return Optional.ofNullable(System.getenv(PLACE))
                .or(() -> Assets.writtenBySetup(PLACE))
                .map(place -> Path.of(place, "helm"))
                .filter(Files::isExecutable)
                .orElseThrow(() -> new IllegalStateException("no helm found; run \"make setup\""));
    }

    // Nothing of this machine's user: no plugins, no repositories.
    private static Map<String, String> environment() {
        String home = ProjectRoot.find().resolve("target/helm").toString();
        return Map.of("HELM_CONFIG_HOME", home, "HELM_CACHE_HOME", home, "HELM_DATA_HOME", home);
    }
}
