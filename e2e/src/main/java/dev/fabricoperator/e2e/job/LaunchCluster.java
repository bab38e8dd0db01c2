/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.node.RealCluster;
import java.util.List;
import java.util.function.Consumer;

/** Real nodes with the operator deployed as users deploy it. */
public final class LaunchCluster implements AutoCloseable {
    private final RealCluster cluster;

    private LaunchCluster(RealCluster cluster) {
        this.cluster = cluster;
    }

    public static LaunchCluster start(int nodes, Consumer<String> progress) {
        return new LaunchCluster(RealCluster.start(ControlPlaneOptions.FULL, nodes, List.of(), progress));
    }

    public RealCluster cluster() {
        return cluster;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
