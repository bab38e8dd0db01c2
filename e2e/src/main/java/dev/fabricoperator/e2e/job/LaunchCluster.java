/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.system.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Real nodes with the operator deployed as users deploy it: {@code kubectl apply -k config/default}, images from {@code target/images}. */
public final class LaunchCluster implements AutoCloseable {
    private static final List<String> IMAGES = List.of("fabric-operator.tar", "fabric-agent.tar", "pmixd.tar");

    private final RealCluster cluster;

    private LaunchCluster(RealCluster cluster) {
        this.cluster = cluster;
    }

    /** The archives of the operator's images that are missing, so that {@code make images} must run first. */
    public static List<Path> missingImages() {
        return images().filter(image -> !Files.exists(image)).toList();
    }

    private static Stream<Path> images() {
        Path directory = ProjectRoot.find().resolve("target/images");
        return IMAGES.stream().map(directory::resolve);
    }

    /**
     * Returns when the operator is ready.
     *
     * @param more docker archives for every node, beside the operator's own
     * @throws IllegalStateException when images are missing
     */
    public static LaunchCluster start(int nodes, List<Path> more, Consumer<String> progress) {
        List<Path> missing = missingImages();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no " + missing.getFirst() + ": run \"make images\"");
        }
        List<Path> archives = new ArrayList<>(images().toList());
        archives.addAll(more);
        RealCluster cluster = RealCluster.start(ControlPlaneOptions.FULL, nodes, archives, progress);
        try {
            deploy(cluster, progress);
        } catch (RuntimeException e) {
            cluster.keep();
            cluster.close();
            throw e;
        }
        return new LaunchCluster(cluster);
    }

    private static void deploy(RealCluster cluster, Consumer<String> progress) {
        progress.accept("deploying the operator");
        Command kubectl = Command.kubectl(cluster);
        kubectl.run(
                "apply",
                "--server-side",
                "-k",
                ProjectRoot.find().resolve("config/default").toString());
        for (String workload : List.of(
                "deployment/fabric-operator-controller",
                "deployment/fabric-operator-server",
                "daemonset/fabric-agent")) {
            kubectl.run("-n", "fabric-operator", "rollout", "status", "--timeout=180s", workload);
        }
        DirectJob.optIn(cluster.admin());
        progress.accept("the operator is ready");
    }

    public RealCluster cluster() {
        return cluster;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
