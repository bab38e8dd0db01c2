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
import java.util.List;
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

    private record Held(LaunchCluster launch) implements AutoCloseable {
        @Override
        public void close() {
            launch.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        NodePrograms.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        Assumptions.assumeTrue(
                LaunchCluster.missingImages().isEmpty(), "the operator's images are missing: run \"make images\"");
        cluster(context);
    }

    /** For other extensions of the same class. */
    public static RealCluster cluster(ExtensionContext context) {
        return context.getRoot()
                .getStore(KEYS)
                .getOrComputeIfAbsent(Held.class, key -> start(), Held.class)
                .launch()
                .cluster();
    }

    private static Held start() {
        try {
            Path work = Files.createTempDirectory("fabric-operator-proof-images-");
            Path archive = ProofImages.write(work, NodePrograms.find());
            LaunchCluster launch = LaunchCluster.start(NODES, List.of(archive), text -> {});
            Files.delete(archive);
            return new Held(launch);
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
