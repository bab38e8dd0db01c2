/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import dev.fabricoperator.e2e.node.RealCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.extension.support.TypeBasedParameterResolver;

/** See {@link OnRealNodes}. */
public final class RealNodesExtension extends TypeBasedParameterResolver<RealCluster>
        implements BeforeAllCallback, TestWatcher {
    private static final Namespace KEYS = Namespace.create(RealNodesExtension.class);
    private static final int NODES = 3;
    private static final int CLUSTERS = 2;

    /** The clusters of all classes: each is started by the first class that finds none free. */
    private static final class Clusters implements AutoCloseable {
        private final BlockingQueue<LaunchCluster> free = new LinkedBlockingQueue<>();
        private final List<LaunchCluster> started = new ArrayList<>();
        private int begun;
        private @Nullable RuntimeException failure;

        LaunchCluster take() throws InterruptedException {
            LaunchCluster found = free.poll();
            while (found == null) {
                found = mayStart() ? started() : free.poll(1, TimeUnit.SECONDS);
            }
            return found;
        }

        private synchronized boolean mayStart() {
            if (failure != null && started.isEmpty()) {
                throw failure;
            }
            if (begun == CLUSTERS) {
                return false;
            }
            begun++;
            return true;
        }

        private LaunchCluster started() {
            try {
                LaunchCluster made = start();
                synchronized (this) {
                    started.add(made);
                }
                return made;
            } catch (RuntimeException e) {
                synchronized (this) {
                    failure = e;
                }
                throw e;
            }
        }

        @Override
        public synchronized void close() {
            started.forEach(LaunchCluster::close);
        }
    }

    /** One cluster, for the life of one class. */
    private record Lease(Clusters clusters, LaunchCluster launch) implements AutoCloseable {
        @Override
        public void close() {
            clusters.free.add(launch);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        cluster(context);
    }

    /** For other extensions of the same class too. An instance for all methods is made before {@link #beforeAll}. */
    public static RealCluster cluster(ExtensionContext context) {
        return context.getStore(KEYS)
                .getOrComputeIfAbsent(Lease.class, key -> lease(context), Lease.class)
                .launch()
                .cluster();
    }

    private static Lease lease(ExtensionContext context) {
        NodePrograms.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        Assumptions.assumeTrue(
                LaunchCluster.missingImages().isEmpty(), "the operator's images are missing: run \"make images\"");
        Clusters clusters = context.getRoot()
                .getStore(KEYS)
                .getOrComputeIfAbsent(Clusters.class, key -> new Clusters(), Clusters.class);
        try {
            return new Lease(clusters, clusters.take());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while another class has the real nodes", e);
        }
    }

    private static LaunchCluster start() {
        try {
            Path work = Files.createTempDirectory("fabric-operator-proof-images-");
            Path archive = ProofImages.write(work, NodePrograms.find());
            LaunchCluster launch = LaunchCluster.start(NODES, List.of(archive), text -> {});
            Files.delete(archive);
            return launch;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write images", e);
        }
    }

    @Override
    public RealCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster(context);
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        System.err.println(context.getDisplayName() + " failed; its cluster's logs are kept in "
                + cluster(context).keep());
    }
}
