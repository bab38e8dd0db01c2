/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.install.Helm;
import dev.fabricoperator.e2e.node.NodeFabrics;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.classify.FabricKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Real nodes with the operator deployed as users deploy it: {@code helm install}, images from {@code target/images}; only the agents read played
 * hardware, see {@link NodeFabrics}.
 */
public final class LaunchCluster implements AutoCloseable {
    /** Of Helm. */
    public static final String RELEASE = "fabric-operator";

    private static final String NAMESPACE = "fabric-operator";

    private static final List<String> IMAGES = List.of("fabric-operator.tar", "fabric-agent.tar", "pmixd.tar");

    private static final Duration FABRIC_LIMIT = Duration.ofMinutes(4);

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
        progress.accept(
                "helm install " + RELEASE + " charts/fabric-operator --namespace fabric-operator --create-namespace");
        Command kubectl = Command.kubectl(cluster);
        Helm.of(cluster)
                .run(
                        "install",
                        RELEASE,
                        Helm.chart().toString(),
                        "--namespace",
                        NAMESPACE,
                        "--create-namespace",
                        "--post-renderer",
                        postRenderer(cluster).toString());
        // What a Fabric is, the API server must have understood.
        Manifests.awaitResources(cluster.admin());
        kubectl.run("apply", "--server-side", "-f", fabrics(cluster).toString());
        for (String workload : List.of(
                "deployment/fabric-operator-controller",
                "deployment/fabric-operator-server",
                "daemonset/fabric-agent")) {
            kubectl.run("-n", NAMESPACE, "rollout", "status", "--timeout=600s", workload);
        }
        DirectJob.optIn(cluster.admin());
        awaitFabric(cluster, NodeFabrics.ETHERNET, 1);
        awaitFabric(cluster, NodeFabrics.INFINIBAND, NodeFabrics.CARDS);
        progress.accept("the operator is ready");
    }

    /**
     * Changes a variable of the operator's servers. Returns when those with the former one have ended: until then the API server may ask them.
     *
     * @param setting as {@code kubectl set env} takes it, another than now
     */
    public static void setServers(Command kubectl, String setting) {
        String server = "deployment/fabric-operator-server";
        String before =
                kubectl.run("-n", NAMESPACE, "get", "pods", "-l", "app.kubernetes.io/component=server", "-o", "name");
        kubectl.run("-n", NAMESPACE, "set", "env", server, setting);
        kubectl.run("-n", NAMESPACE, "rollout", "status", "--timeout=600s", server);
        for (String pod : before.split("\\s+")) {
            kubectl.run("-n", NAMESPACE, "wait", "--for=delete", "--timeout=600s", pod);
        }
    }

    /** For Helm, with every upgrade too: agents read what their nodes play. */
    public static Path postRenderer(RealCluster cluster) {
        Path directory = cluster.directory().resolve("deployment");
        write(directory.resolve("kustomization.yaml"), """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                resources: [chart.yaml]
                patches:
                  - target: {kind: DaemonSet, name: fabric-agent}
                    patch: |-
                      - op: replace
                        path: /spec/template/spec/volumes/0
                        value: {name: sys, hostPath: {path: %s, type: Directory}}
                """.formatted(NodeFabrics.SYS));
        Path script = write(directory.resolve("post-render"), """
                #!/bin/sh
                cat > %1$s/chart.yaml
                exec %2$s kustomize %1$s
                """.formatted(directory, cluster.kubectl()));
        if (!script.toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make " + script + " executable");
        }
        return script;
    }

    private static Path fabrics(RealCluster cluster) {
        return write(
                cluster.directory().resolve("fabrics.yaml"), cluster.fabrics().manifests());
    }

    private static Path write(Path file, String text) {
        try {
            Files.createDirectories(file.resolveSibling(""));
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private static void awaitFabric(RealCluster cluster, String name, int devicesOfNode) {
        int devices = devicesOfNode * cluster.nodes().size();
        cluster.admin()
                .resources(Fabric.class)
                .withName(name)
                .waitUntilCondition(
                        fabric -> fabric != null && isWhole(fabric, devices),
                        FABRIC_LIMIT.toSeconds(),
                        TimeUnit.SECONDS);
    }

    private static boolean isWhole(Fabric fabric, int devices) {
        FabricStatus status = fabric.getStatus();
        return status != null
                && Objects.equals(status.devices(), devices)
                && status.kind() != null
                && status.kind() != FabricKind.Flat
                && status.conditions().stream()
                        .anyMatch(condition ->
                                condition.type().equals("Ready") && condition.status() == ConditionStatus.True);
    }

    public RealCluster cluster() {
        return cluster;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
