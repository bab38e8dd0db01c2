/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Kubeflow's MPI Operator as it is, a process beside the control plane. */
public final class MpiOperator {
    public static final ResourceDefinitionContext JOB = new ResourceDefinitionContext.Builder()
            .withGroup("kubeflow.org")
            .withVersion("v2beta1")
            .withPlural("mpijobs")
            .withKind("MPIJob")
            .withNamespaced(true)
            .build();
    private static final String NAME = "mpi-operator";
    /** Of its health check, of every address of its network; it ends where another has it. */
    private static final int PORT = 8080;
    /** Of classes of tests that start it in this machine's network. */
    public static final String LOCK = "port " + PORT;

    private static final int LEADER_LIMIT_SECONDS = 240;

    private MpiOperator() {}

    /**
     * Pods of an MPIJob.
     *
     * @param role {@code launcher} or {@code worker}
     */
    public static List<Pod> pods(KubernetesClient admin, String namespace, String job, String role) {
        return admin.pods()
                .inNamespace(namespace)
                .withLabel("training.kubeflow.org/job-name", job)
                .withLabel("training.kubeflow.org/job-role", role)
                .list()
                .getItems();
    }

    /** Where setup has built it. */
    public static Optional<Path> directory() {
        return Assets.writtenBySetup("FABRIC_OPERATOR_MPI_OPERATOR").map(Path::of);
    }

    /** Why none can run in this machine's network. */
    public static Optional<String> obstacle() {
        if (directory().isEmpty()) {
            return Optional.of("no MPI Operator: run \"make setup\" as root");
        }
        try (ServerSocket socket = new ServerSocket(PORT)) {
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("port " + PORT + ", which the MPI Operator needs: " + e.getMessage());
        }
    }

    /** Returns when it leads. It ends with the cluster. */
    public static void start(RealCluster cluster) throws InterruptedException {
        start(cluster, command -> cluster.startServer(NAME, command, Map.of()));
    }

    /**
     * Returns when it leads, in this machine's network.
     *
     * @param directory for its log
     */
    public static ServerProcess start(ControlPlane cluster, Path directory) throws InterruptedException {
        return start(
                cluster, command -> ServerProcess.start(NAME, command, Map.of(), directory.resolve(NAME + ".log")));
    }

    private static ServerProcess start(Cluster cluster, Function<List<String>, ServerProcess> starter)
            throws InterruptedException {
        Path directory = directory()
                .orElseThrow(() -> new IllegalStateException("no MPI Operator: run scripts/setup.sh mpi-operator"));
        // It asks once for its kind, and ends where that is not served yet.
        Manifests.applyCustomResources(cluster.admin(), directory.resolve("mpi-operator.crd.yaml"));
        ServerProcess server = starter.apply(List.of(
                directory.resolve(NAME).toString(), "-kubeConfig=" + cluster.kubeconfig(), "-lock-namespace=default"));
        // It leads as soon as it has its lease.
        for (int i = 0; i < LEADER_LIMIT_SECONDS; i++) {
            var lease = cluster.admin()
                    .leases()
                    .inNamespace("default")
                    .withName(NAME)
                    .get();
            if (lease != null && lease.getSpec().getHolderIdentity() != null) {
                return server;
            }
            Thread.sleep(1000);
        }
        throw new IllegalStateException(
                "the MPI Operator does not lead after " + LEADER_LIMIT_SECONDS + " s: " + server.logTail());
    }
}
