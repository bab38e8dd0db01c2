/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.node.RealNode;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/** A cluster with the operator in it that stays up in a process of its own; {@link RunJob} uses it from others. Its standing is in a file of the state directory. */
public final class KeptCluster {
    static final int NODES = 2;
    private static final String FILE = "cluster.properties";

    /**
     * What another process needs to know of it.
     *
     * @param sockets of the nodes' containerds
     */
    record Standing(Path kubeconfig, Path kubectl, List<Path> sockets) {
        static Standing read(Path state) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(state.resolve(FILE))) {
                properties.load(reader);
            } catch (IOException e) {
                throw new UncheckedIOException("no cluster is up", e);
            }
            return new Standing(
                    Path.of(properties.getProperty("kubeconfig")),
                    Path.of(properties.getProperty("kubectl")),
                    List.of(properties.getProperty("sockets").split(" ")).stream()
                            .map(Path::of)
                            .toList());
        }
    }

    private KeptCluster() {}

    /** @param arguments the state directory */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path state = Path.of(arguments[0]);
        Files.createDirectories(state);
        long start = System.nanoTime();
        try (LaunchCluster cluster = LaunchCluster.start(
                NODES,
                List.of(),
                text -> System.out.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            write(state, cluster.cluster());
            new CountDownLatch(1).await();
        }
    }

    private static void write(Path state, RealCluster cluster) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("kubeconfig", cluster.kubeconfig().toString());
        properties.setProperty("kubectl", cluster.kubectl().toString());
        properties.setProperty(
                "sockets",
                cluster.nodes().stream()
                        .map(RealNode::containerSocket)
                        .map(Path::toString)
                        .collect(Collectors.joining(" ")));
        Path partial = state.resolve(FILE + ".partial");
        try (var writer = Files.newBufferedWriter(partial)) {
            properties.store(writer, null);
        }
        Files.move(partial, state.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }
}
