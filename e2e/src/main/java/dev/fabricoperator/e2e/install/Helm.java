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
    private Helm() {}

    /** Which Helm people have. */
    public enum Version {
        V3("FABRIC_OPERATOR_HELM"),
        /** Applies objects by server-side apply. */
        V4("FABRIC_OPERATOR_HELM4");

        private final String place;

        Version(String place) {
            this.place = place;
        }

        /** Without a cluster. */
        public Command offline() {
            return new Command(List.of(program().toString()), environment());
        }

        /** As the cluster's administrator. */
        public Command of(Cluster cluster) {
            return new Command(
                    List.of(
                            program().toString(),
                            "--kubeconfig",
                            cluster.kubeconfig().toString()),
                    environment());
        }

        private Path program() {
            return Optional.ofNullable(System.getenv(place))
                    .or(() -> Assets.writtenBySetup(place))
                    .map(directory -> Path.of(directory, "helm"))
                    .filter(Files::isExecutable)
                    .orElseThrow(() -> new IllegalStateException("no helm in " + place + "; run \"make setup\""));
        }
    }

    /** Helm 3 without a cluster. */
    public static Command offline() {
        return Version.V3.offline();
    }

    /** Helm 3 as the cluster's administrator. */
    public static Command of(Cluster cluster) {
        return Version.V3.of(cluster);
    }

    public static Path chart() {
        return ProjectRoot.find().resolve("charts/fabric-operator");
    }

    // Nothing of this machine's user: no plugins, no repositories.
    private static Map<String, String> environment() {
        String home = ProjectRoot.find().resolve("target/helm").toString();
        return Map.of("HELM_CONFIG_HOME", home, "HELM_CACHE_HOME", home, "HELM_DATA_HOME", home);
    }
}
