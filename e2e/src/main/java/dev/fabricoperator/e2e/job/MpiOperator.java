/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Kubeflow's MPI Operator as it is, a process beside the control plane. */
public final class MpiOperator {
    public static final ResourceDefinitionContext JOB = new ResourceDefinitionContext.Builder()
            .withGroup("kubeflow.org")
            .withVersion("v2beta1")
            .withPlural("mpijobs")
            .withKind("MPIJob")
            .withNamespaced(true)
            .build();
    private static final int LEADER_LIMIT_SECONDS = 240;

    private MpiOperator() {}

    /** Where setup has built it. */
    public static Optional<Path> directory() {
        return Assets.writtenBySetup("FABRIC_OPERATOR_MPI_OPERATOR").map(Path::of);
    }

    /** Returns when it leads. It ends with the cluster. */
    public static void start(RealCluster cluster) throws InterruptedException {
        Path directory = directory()
                .orElseThrow(() -> new IllegalStateException("no MPI Operator: run scripts/setup.sh mpi-operator"));
        // It asks once for its kind, and ends where that is not served yet.
        Manifests.applyCustomResources(cluster.admin(), directory.resolve("mpi-operator.crd.yaml"));
        ServerProcess server = cluster.startServer(
                "mpi-operator",
                List.of(
                        directory.resolve("mpi-operator").toString(),
                        "-kubeConfig=" + cluster.kubeconfig(),
                        "-lock-namespace=default"),
                Map.of());
        // It leads as soon as it has its lease.
        for (int i = 0; i < LEADER_LIMIT_SECONDS; i++) {
            var lease = cluster.admin()
                    .leases()
                    .inNamespace("default")
                    .withName("mpi-operator")
                    .get();
            if (lease != null && lease.getSpec().getHolderIdentity() != null) {
                return;
            }
            Thread.sleep(1000);
        }
        throw new IllegalStateException(
                "the MPI Operator does not lead after " + LEADER_LIMIT_SECONDS + " s: " + server.logTail());
    }
}
