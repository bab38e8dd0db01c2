/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptionsBuilder;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.cluster.Watchdog;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A cluster that runs containers: a control plane in a network namespace of its own, CoreDNS beside it, real nodes around it.
 *
 * Ready some fifteen seconds after the start. Everything ends with {@link #close}, or with the JVM, also when that is killed: processes and containers, namespaces, mounts,
 * cables, control groups, data. Several may run side by side.
 */
public final class RealCluster implements Cluster {
    static final String PAUSE_IMAGE = "fabric-operator.test/pause:1";
    private static final Duration READY_LIMIT = Duration.ofMinutes(4);

    private final Path directory;
    private final Path tidyUp;
    private final NodePrograms programs;
    private final ClusterNetwork network;
    private final ControlPlane controlPlane;
    private final NodeFabrics fabrics;
    private final List<RealNode> nodes;
    private final List<ServerProcess> servers = new ArrayList<>();
    private final Thread shutdownHook = new Thread(this::stopEverything, "stop real cluster");
    private boolean stopped;

    /**
     * Starts it and returns when all nodes are Ready and hold the images.
     *
     * @param nodeCount named {@code node-1} and so on
     * @param images docker archives that every node gets
     * @throws IllegalStateException with the {@link NodePrograms#obstacle}, or when something does not start
     */
    public static RealCluster start(
            ControlPlaneOptions options, int nodeCount, List<Path> images, Consumer<String> progress) {
        return new RealCluster(options, nodeCount, images, progress);
    }

    private RealCluster(ControlPlaneOptions options, int nodeCount, List<Path> images, Consumer<String> progress) {
        this.programs = NodePrograms.find();
        try {
            this.directory = Files.createTempDirectory("fabric-operator-nodes-");
            Files.createDirectories(directory.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create the data directory", e);
        }
        this.network = ClusterNetwork.create(directory.resolve("log/network.log"));
        this.tidyUp = ClusterNetwork.writeTidyUp(network.name(), directory);
        Watchdog.get().runAtEnd(tidyUp);
        Runtime.getRuntime().addShutdownHook(shutdownHook);
        try {
            progress.accept("starting " + nodeCount + " nodes and the control plane");
            this.fabrics = NodeFabrics.of(nodeNames(nodeCount));
            this.nodes = IntStream.range(0, nodeCount).mapToObj(this::newNode).toList();
            CompletableFuture<Void> imported = BlockingTasks.start(() -> {
                importImages(pauseImage());
                progress.accept("importing images");
                images.forEach(this::importImages);
            });
            this.controlPlane = ControlPlane.start(ControlPlaneOptionsBuilder.builder(options)
                    .network(network.controlPlane())
                    .build());
            nodes.forEach(node -> node.join(controlPlane));
            servers.add(startDns());
            awaitReadyNodes();
            imported.join();
            progress.accept("nodes are Ready");
        } catch (RuntimeException e) {
            keep();
            stopEverything();
            throw e;
        }
    }

    private static List<String> nodeNames(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(number -> "node-" + number)
                .toList();
    }

    private RealNode newNode(int index) {
        String name = fabrics.nodes().get(index);
        return new RealNode(
                name, ClusterNetwork.firstNode() + index, directory.resolve(name), network, programs, fabrics);
    }

    private Path pauseImage() {
        Path work = directory.resolve("pause");
        Path program = new CCompiler(programs).compile(RealNode.resource("pause.c"), "pause", work, "-static");
        Path layer = ImageArchive.layer(work.resolve("layer.tar"), Map.of("pause", program));
        return new ImageArchive()
                .add(PAUSE_IMAGE, List.of(layer), Map.of("Entrypoint", List.of("/pause")))
                .write(work.resolve("pause.tar"));
    }

    // Names are what images and pods of the cluster ask for; there is nobody to pass other questions on to.
    private ServerProcess startDns() {
        Path kubeconfig = directory.resolve("coredns.kubeconfig");
        controlPlane.writeKubeconfig(kubeconfig, "coredns", "system:masters");
        Path settings = directory.resolve("Corefile");
        try {
            Files.writeString(settings, """
                    .:53 {
                        bind %s
                        errors
                        kubernetes cluster.local in-addr.arpa {
                            kubeconfig %s
                        }
                    }
                    """.formatted(network.gateway(), kubeconfig));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + settings, e);
        }
        return ServerProcess.start(
                "coredns",
                network.controlPlane().inside(List.of(programs.coreDns().toString(), "-conf", settings.toString())),
                Map.of(),
                directory.resolve("log/coredns.log"));
    }

    private void awaitReadyNodes() {
        List<String> names = nodes.stream().map(RealNode::name).toList();
        for (String name : names) {
            admin().nodes()
                    .withName(name)
                    .waitUntilCondition(RealCluster::isReady, READY_LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static boolean isReady(Node node) {
        return node != null
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }

    /** Imports an archive into every node, side by side. */
    public void importImages(Path archive) {
        BlockingTasks.runAll(nodes.stream()
                .<Runnable>map(node -> () -> node.importImages(archive))
                .toList());
    }

    /**
     * Gives an image its name by digest on every node, as a pull would.
     *
     * @param image with its tag
     * @return repository and digest, such as {@code example.test/ring@sha256:...}
     */
    public String nameByDigest(String image) {
        List<String> names =
                nodes.stream().map(node -> node.nameByDigest(image)).distinct().toList();
        if (names.size() != 1) {
            throw new IllegalStateException("the nodes hold different images: " + names);
        }
        return names.getFirst();
    }

    public List<RealNode> nodes() {
        return nodes;
    }

    public RealNode node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What the nodes' networks are like. */
    public NodeFabrics fabrics() {
        return fabrics;
    }

    public ControlPlane controlPlane() {
        return controlPlane;
    }

    public NodePrograms programs() {
        return programs;
    }

    /** Starts a server in the control plane's network namespace; it ends with the cluster. */
    public ServerProcess startServer(String name, List<String> command, Map<String, String> environment) {
        ServerProcess server = ServerProcess.start(
                name, network.controlPlane().inside(command), environment, directory.resolve("log/" + name + ".log"));
        servers.add(server);
        return server;
    }

    /** The same command, run in the control plane's network namespace, where pods reach what it serves at the API server's address. */
    List<String> insideItsNetwork(List<String> command) {
        return network.controlPlane().inside(command);
    }

    public Path directory() {
        return directory;
    }

    /** Keeps data and logs, the control plane's too, on {@link #close}, for a look after a failure. */
    // It may be called before the control plane has come up.
    @SuppressWarnings("NullAway")
    public Path keep() {
        if (controlPlane != null) {
            controlPlane.keep();
        }
        try {
            Files.writeString(directory.resolve("keep"), "");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
        return directory;
    }

    @Override
    public KubernetesClient admin() {
        return controlPlane.admin();
    }

    @Override
    public String server() {
        return controlPlane.server();
    }

    @Override
    public String authorityPem() {
        return controlPlane.authorityPem();
    }

    @Override
    public Path kubeconfig() {
        return controlPlane.kubeconfig();
    }

    @Override
    public Path kubectl() {
        return controlPlane.kubectl();
    }

    @Override
    public void close() {
        stopEverything();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is going down already: the hook has run or finds nothing left to do.
            return;
        }
    }

    // The constructor may not have come far.
    @SuppressWarnings("NullAway")
    private synchronized void stopEverything() {
        if (stopped) {
            return;
        }
        stopped = true;
        servers.forEach(ServerProcess::kill);
        if (nodes != null) {
            nodes.forEach(RealNode::close);
        }
        if (controlPlane != null) {
            controlPlane.close();
        }
        network.close();
        HostCommand.run("sh", tidyUp.toString());
        Watchdog.get().doNotRun(tidyUp);
        if (Files.exists(directory)) {
            System.err.println("the nodes' data and logs are kept in " + directory);
        }
    }
}
