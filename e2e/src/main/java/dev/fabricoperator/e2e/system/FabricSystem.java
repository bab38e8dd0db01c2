/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.cluster.Nodes;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.standin.BoundPod;
import dev.fabricoperator.e2e.cluster.standin.PodRuntime;
import dev.fabricoperator.e2e.cluster.standin.StandInNodes;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * fabric-operator on a cluster, from the project's own manifests.
 *
 * The pods are real: the DaemonSet's and the Deployments' controllers make them, the scheduler binds them. What a container would run is run by stand-in nodes:
 * agents in this JVM, the operator's replicas as processes, each with its pod's token.
 */
public final class FabricSystem implements AutoCloseable {
    public static final String NAMESPACE = "fabric-operator";
    private static final int JOINS_AT_A_TIME = 16;

    private final Cluster cluster;
    private final Path state;
    private final Duration agentPollInterval;
    private final Path authority;
    private final Nodes nodes;

    private FabricSystem(Cluster cluster, Path state, Duration agentPollInterval) {
        this.cluster = cluster;
        this.state = state;
        this.agentPollInterval = agentPollInterval;
        this.authority = state.resolve("ca.crt");
        try {
            Files.createDirectories(state);
            Files.writeString(authority, cluster.authorityPem());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + state, e);
        }
        applyManifests();
        this.nodes = new StandInNodes(cluster, new Programs(), state.resolve("pods"));
    }

    /**
     * Applies {@code config/default}.
     *
     * @param state directory for logs, tokens and process ids
     * @param agentPollInterval between two looks of an agent at its link states
     */
    public static FabricSystem install(Cluster cluster, Path state, Duration agentPollInterval) {
        return new FabricSystem(cluster, state, agentPollInterval);
    }

    private void applyManifests() {
        Path config = ProjectRoot.find().resolve("config/default");
        kubectl().run("apply", "--server-side", "-k", config.toString());
        Manifests.awaitResources(cluster.admin());
    }

    /** For who asks no query and launches no job; before nodes join, so that none is started. */
    public void runNoServer() {
        cluster.admin()
                .apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("fabric-operator-server")
                .scale(0);
    }

    public Nodes nodes() {
        return nodes;
    }

    /** Lets the nodes join, several at a time; their agents start as the DaemonSet's controller gets to them. */
    public void join(Collection<NodeSpec> specs) {
        try (ExecutorService executor =
                Executors.newFixedThreadPool(JOINS_AT_A_TIME, Thread.ofVirtual().factory())) {
            List<? extends Future<?>> joins = specs.stream()
                    .map(spec -> executor.submit(() -> nodes.join(spec)))
                    .toList();
            joins.forEach(FabricSystem::await);
        }
    }

    /** kubectl with the administrator's rights. */
    public Command kubectl() {
        return Command.kubectl(cluster);
    }

    /** The plugin that the build made, with the administrator's rights. */
    public Command kubectlFabric() {
        return Command.kubectlFabric(cluster);
    }

    public List<Fabric> fabrics() {
        return cluster.admin().resources(Fabric.class).list().getItems();
    }

    /** The status of a condition, {@code Unknown} where it is not there. */
    public static String condition(Fabric fabric, String type) {
        if (fabric.getStatus() == null) {
            return "Unknown";
        }
        return fabric.getStatus().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .map(condition -> String.valueOf(condition.status()))
                .findFirst()
                .orElse("Unknown");
    }

    /** Where a stand-in node keeps the token of a pod that it runs. */
    public Path tokenFile(Pod pod) {
        return state.resolve("pods").resolve(pod.getMetadata().getUid()).resolve("token");
    }

    @Override
    public void close() {
        nodes.close();
    }

    private static void await(Future<?> join) {
        try {
            join.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while nodes join", e);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException("a node could not join", e.getCause());
        }
    }

    /** What the containers of our pods run: the image says which program it is. */
    private final class Programs implements PodRuntime {
        @Override
        public boolean runs(Pod pod) {
            return NAMESPACE.equals(pod.getMetadata().getNamespace()) && (isAgent(pod) || isOperator(pod));
        }

        @Override
        public RunningPod start(BoundPod bound) throws IOException {
            return isAgent(bound.pod())
                    ? AgentProgram.start(cluster, bound, authority, agentPollInterval)
                    : OperatorProgram.start(cluster, bound, state);
        }

        private boolean isAgent(Pod pod) {
            return image(pod).contains("/fabric-agent:");
        }

        private boolean isOperator(Pod pod) {
            return image(pod).contains("/fabric-operator:");
        }

        private String image(Pod pod) {
            return pod.getSpec().getContainers().getFirst().getImage();
        }
    }
}
