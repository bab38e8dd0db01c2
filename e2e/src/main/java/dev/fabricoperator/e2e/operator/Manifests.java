/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The project's own manifests, on a cluster. */
public final class Manifests {
    private Manifests() {}

    /** Applies {@code config/default}; returns when the API server knows the resources. */
    public static void apply(Cluster cluster) {
        Command kubectl = Command.kubectl(cluster);
        kubectl.run(
                "apply",
                "--server-side",
                // kubectl needs the schemas of everything for it, and each new API server makes them then. FabricSystem
                // has them validated.
                "--validate=false",
                // Another test of a shared control plane may have applied some of them.
                "--force-conflicts",
                "-k",
                ProjectRoot.find().resolve("config/default").toString());
        awaitResources(cluster.admin());
    }

    /** Applies {@code config/sweeper}, behind {@link #apply}. */
    public static void applySweeper(Cluster cluster) {
        Command.kubectl(cluster)
                .run(
                        "apply",
                        "--server-side",
                        "-k",
                        ProjectRoot.find().resolve("config/sweeper").toString());
    }

    /** Applies the definitions of a file, and returns when the API server knows them. */
    public static void applyCustomResources(KubernetesClient admin, Path file) {
        try (var definitions = Files.newInputStream(file)) {
            admin.load(definitions).serverSideApply();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
        awaitResources(admin);
    }

    /** Returns when the API server knows all custom resources that it has been given. */
    public static void awaitResources(KubernetesClient admin) {
        // Not "kubectl wait", which fails on one that is so new that it has no condition at all.
        var resources = admin.apiextensions().v1().customResourceDefinitions();
        for (CustomResourceDefinition each : resources.list().getItems()) {
            resources
                    .withName(each.getMetadata().getName())
                    .waitUntilCondition(Manifests::isEstablished, 240, TimeUnit.SECONDS);
        }
    }

    private static boolean isEstablished(@Nullable CustomResourceDefinition resource) {
        return resource != null
                && resource.getStatus() != null
                // A new one's are null, not empty.
                && resource.getStatus().getConditions() != null
                && resource.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Established")
                                && condition.getStatus().equals("True"));
    }
}
