/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.nio.file.Path;
import java.util.List;

/** A real program of {@code e2e/bench/programs}, a rank on each node: in both ways the same image, the same pods, the same variables. */
final class ProgramJob extends JobLauncher {
    private final Kind kind;
    private final String program;

    enum Kind {
        Direct("direct"),
        /** With mpirun, when sshd answers in all workers: nothing is tried twice. */
        MpiOperator("mpi-operator-waits");

        final String name;

        Kind(String name) {
            this.name = name;
        }
    }

    /** @param program as {@code timed} calls it */
    ProgramJob(Cluster cluster, Path directory, Kind kind, String program) {
        super(
                cluster,
                directory,
                kind == Kind.Direct ? ResourceDefinitionContext.fromResourceType(Job.class) : MpiOperator.JOB,
                kind == Kind.Direct ? "Complete" : "Succeeded");
        this.kind = kind;
        this.program = program;
    }

    @Override
    public String name() {
        return kind.name;
    }

    @Override
    String manifest(String name, Size size) {
        return kind == Kind.Direct ? direct(name, size) : byMpiOperator(name, size);
    }

    private String direct(String name, Size size) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  completionMode: Indexed
                  completions: %3$d
                  parallelism: %3$d
                  backoffLimit: 10
                  template:
                    metadata:
                      labels: {ranks-of: %1$s}
                      annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: "%4$d"}
                    spec:
                      restartPolicy: Never
                %5$s
                """.formatted(
                        name,
                        NAMESPACE,
                        size.pods(),
                        size.ranksPerPod(),
                        pod(name, "command: [timed, %s]".formatted(program)).indent(6));
    }

    private String byMpiOperator(String name, Size size) {
        return """
                apiVersion: kubeflow.org/v2beta1
                kind: MPIJob
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  slotsPerWorker: %4$d
                  launcherCreationPolicy: WaitForWorkersReady
                  runPolicy: {cleanPodPolicy: Running, backoffLimit: 10}
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      template:
                        spec:
                          restartPolicy: OnFailure
                          containers:
                          - name: main
                            image: %5$s
                            imagePullPolicy: Never
                            command: [mpirun, --allow-run-as-root, --bind-to, none, -n, "%6$d", timed, %7$s]
                            env:
                            - {name: PRTE_MCA_prte_default_hostfile, value: /etc/mpi/hostfile}
                            - {name: OMPI_MCA_mpi_yield_when_idle, value: "1"}
                    Worker:
                      replicas: %3$d
                      template:
                        metadata: {labels: {ranks-of: %1$s}}
                        spec:
                %8$s
                """.formatted(
                        name,
                        NAMESPACE,
                        size.pods(),
                        size.ranksPerPod(),
                        ProofImages.PROGRAMS,
                        size.ranks(),
                        program,
                        pod(name, "").indent(10));
    }

    /** What is the same for ranks of both: one node each, and as much shared memory as they ask for. */
    private static String pod(String name, String command) {
        return """
                terminationGracePeriodSeconds: 1
                topologySpreadConstraints:
                - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {ranks-of: %1$s}}}
                containers:
                - name: main
                  image: %2$s
                  imagePullPolicy: Never
                  env: [{name: OMPI_MCA_mpi_yield_when_idle, value: "1"}]
                  volumeMounts: [{name: shm, mountPath: /dev/shm}]
                  %3$s
                volumes: [{name: shm, emptyDir: {medium: Memory}}]
                """.formatted(name, ProofImages.PROGRAMS, command);
    }

    @Override
    List<Pod> speakers(String name) {
        return kind == Kind.Direct
                ? podsWith("job-name", name)
                : MpiOperator.pods(admin(), NAMESPACE, name, "launcher");
    }
}
