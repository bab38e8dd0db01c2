/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
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
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Gives test classes a {@link FaultCase} on two real nodes with the operator. All classes share one, since its start is a third of what a class takes: a test leaves
 * it as it found it.
 */
final class LaunchClusterExtension implements BeforeAllCallback, ParameterResolver, TestWatcher {
    private static final Namespace KEYS = Namespace.create(LaunchClusterExtension.class);

    private record Held(LaunchCluster cluster, FaultCase faults) implements AutoCloseable {
        @Override
        public void close() {
            cluster.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        NodePrograms.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        Assumptions.assumeTrue(
                LaunchCluster.missingImages().isEmpty(), "the operator's images are missing: run \"make images\"");
        held(context);
    }

    private static Held held(ExtensionContext context) {
        return context.getRoot().getStore(KEYS).getOrComputeIfAbsent(Held.class, key -> start(), Held.class);
    }

    private static Held start() {
        try {
            Path work = Files.createTempDirectory("fabric-operator-proof-images-");
            Path archive = ProofImages.write(work, NodePrograms.find());
            LaunchCluster cluster = LaunchCluster.start(2, List.of(archive), text -> {});
            Files.delete(archive);
            return new Held(cluster, new FaultCase(cluster.cluster(), DirectJob.NAMESPACE));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write images", e);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == FaultCase.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return held(context).faults();
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        FaultCase faults = held(context).faults();
        System.err.println(context.getDisplayName() + " failed; what its cluster says:\n" + faults.story());
        System.err.println("logs are kept in " + faults.cluster.keep());
    }
}
