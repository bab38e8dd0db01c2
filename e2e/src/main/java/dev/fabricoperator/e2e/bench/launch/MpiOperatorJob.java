/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.job.HydraImages;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The MPI Operator's way: worker pods with sshd, a launcher pod with mpirun. What Open MPI 5 needs beyond what the operator sets
 * is in the job, as its users have to write it today.
 */
final class MpiOperatorJob extends JobLauncher {
    /** Without {@code launch: env} users have to write it. */
    private static final String HOSTFILE = "- {name: PRTE_MCA_prte_default_hostfile, value: /etc/mpi/hostfile}";

    private static final String LOG = "{name: PMIXD_LOG, value: all}";

    private static final String OPEN_MPI = "[mpirun, --allow-run-as-root, --bind-to, none, -n, \"%d\", mpi-clock]";

    private static final String HYDRA = "[mpirun, -n, \"%d\", mpi-clock]";

    private final Kind kind;
    private final @Nullable HydraImages mpi;

    enum Kind {
        /** {@code AtStartup}, which is the default. */
        AtStartup("mpi-operator"),
        WaitForWorkersReady("mpi-operator-waits"),
        /** {@code AtStartup} with the annotation {@code launch: env}. */
        Environment("mpi-operator-env"),
        /** {@code AtStartup} with the annotation {@code launch: direct}. */
        Direct("mpi-operator-direct"),
        /** The same with what each pmixd tells in the log, and with workers that stay when the job has ended, for whoever reads it. */
        Told("mpi-operator-told");

        final String name;

        Kind(String name) {
            this.name = name;
        }
    }

    /** @param mpi whose image; {@code null} for Open MPI */
    MpiOperatorJob(Cluster cluster, Path directory, Kind kind, @Nullable HydraImages mpi) {
        super(cluster, directory, MpiOperator.JOB, "Succeeded");
        this.kind = kind;
        this.mpi = mpi;
    }

    @Override
    public String name() {
        return (mpi == null ? "" : mpi.prefix() + "-") + kind.name;
    }

    @Override
    String manifest(String name, Size size) {
        return """
                apiVersion: kubeflow.org/v2beta1
                kind: MPIJob
                metadata:
                  name: %1$s
                  namespace: %2$s
                spec:
                  slotsPerWorker: %4$d
                  mpiImplementation: %13$s
                  launcherCreationPolicy: %5$s
                  runPolicy: {cleanPodPolicy: %11$s, backoffLimit: 10}
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      template:
                        metadata: {%8$s}
                        spec:
                          restartPolicy: OnFailure
                          containers:
                          - name: main
                            image: %6$s
                            imagePullPolicy: Never
                            command: %7$s
                            env:
                            %9$s
                            - {name: OMPI_MCA_mpi_yield_when_idle, value: "1"}
                            %12$s
                    Worker:
                      replicas: %3$d
                      template:
                        metadata: {%8$s}
                        spec:
                          terminationGracePeriodSeconds: 1
                          containers:
                          - name: main
                            image: %6$s
                            imagePullPolicy: Never
                            env: [%10$s]
                            volumeMounts: [{name: shm, mountPath: /dev/shm}]
                          # What a runtime gives is too small for four ranks.
                          volumes: [{name: shm, emptyDir: {medium: Memory}}]
                """.formatted(
                        name,
                        NAMESPACE,
                        size.pods(),
                        size.ranksPerPod(),
                        kind == Kind.WaitForWorkersReady ? "WaitForWorkersReady" : "AtStartup",
                        mpi == null ? ProofImages.SSH : mpi.image(),
                        (mpi == null ? OPEN_MPI : HYDRA).formatted(size.ranks()),
                        annotation(),
                        annotation().isEmpty() && mpi == null ? HOSTFILE : "",
                        kind == Kind.Told ? LOG : "",
                        kind == Kind.Told ? "None" : "Running",
                        kind == Kind.Told ? "- " + LOG : "",
                        mpi == null ? "OpenMPI" : mpi.implementation());
    }

    private String annotation() {
        return switch (kind) {
            case AtStartup, WaitForWorkersReady -> "";
            case Environment -> "annotations: {fabric-operator.dev/launch: env}";
            case Direct, Told -> "annotations: {fabric-operator.dev/launch: direct}";
        };
    }

    @Override
    List<Pod> speakers(String name) {
        return MpiOperator.pods(admin(), NAMESPACE, name, "launcher");
    }
}
