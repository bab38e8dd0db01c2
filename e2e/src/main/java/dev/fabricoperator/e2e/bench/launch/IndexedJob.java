/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.job.HydraImages;
import dev.fabricoperator.e2e.job.ProofImages;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An Indexed Job with one container: one that prints the clock, bare (the floor) or beside an empty one; the MPI program without the operator, in which each
 * rank is alone; or the MPI program launched directly.
 */
final class IndexedJob extends JobLauncher {
    private static final ResourceDefinitionContext JOB = ResourceDefinitionContext.fromResourceType(Job.class);
    private static final String CLOCK = "[date, '+floor %s.%N']";

    /** What stands beside the program in the pod. */
    enum Kind {
        /** Nothing. */
        Floor(CLOCK, "", ""),
        /** A container that does nothing, with all that Kubernetes is told of pmixd's: what any server in the pod costs at least. */
        Empty(CLOCK, """
                      - name: empty
                        image: %s
                        imagePullPolicy: Never
                        command: [sleep, '1']
                        lifecycle: {postStart: {exec: {command: ['true']}}}
                        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}
                        volumeMounts: [{name: launcher, mountPath: /launcher}, {name: token, mountPath: /token}]
                """.formatted(ProofImages.SSH), """
                        volumeMounts: [{name: launcher, mountPath: /launcher}]
                      volumes:
                      - {name: launcher, emptyDir: {medium: Memory}}
                      - {name: token, projected: {sources: [{serviceAccountToken: {audience: empty, path: token}}]}}
                """),
        /** The MPI program by itself, a job of one rank in each pod: what its own libraries take until MPI_Init is over. */
        Alone("[mpi-clock]", "", ""),
        Direct("[mpi-clock]", "", ""),
        /** Whose pmixd does not look at what the pod sends. */
        Uncounted("[mpi-clock]", "", "        - {name: PMIXD_TRAFFIC, value: 'off'}"),
        /** With what its pmixd tells in the log. */
        Told("[mpi-clock]", "", "        - {name: PMIXD_LOG, value: all}");

        private final String command;
        private final String before;
        private final String after;

        Kind(String command, String before, String after) {
            this.command = command;
            this.before = before;
            this.after = after;
        }
    }

    private final Kind kind;
    private final @Nullable HydraImages mpi;

    /** @param mpi whose program; {@code null} for Open MPI */
    IndexedJob(Cluster cluster, Path directory, Kind kind, @Nullable HydraImages mpi) {
        super(cluster, directory, JOB, "Complete");
        this.kind = kind;
        this.mpi = mpi;
    }

    @Override
    public String name() {
        return (mpi == null ? "" : mpi.prefix() + "-") + kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    String manifest(String name, Size size) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: %1$s
                  namespace: %2$s
                spec:
                  completionMode: Indexed
                  completions: %3$d
                  parallelism: %3$d
                  backoffLimit: 10
                  template:
                    metadata:
                %4$s
                    spec:
                      restartPolicy: Never
                      terminationGracePeriodSeconds: 1
                      containers:
                %7$s      - name: main
                        image: %5$s
                        imagePullPolicy: Never
                        command: %6$s
                        env:
                        - {name: OMPI_MCA_mpi_yield_when_idle, value: "1"}
                %8$s
                """.formatted(
                        name,
                        NAMESPACE,
                        size.pods(),
                        kind == Kind.Direct || kind == Kind.Uncounted || kind == Kind.Told
                                ? "      annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: \""
                                        + size.ranksPerPod() + "\"}"
                                : "      annotations: {}",
                        mpi == null ? ProofImages.SSH : mpi.image(),
                        kind.command,
                        kind.before,
                        kind.after);
    }

    @Override
    int ranksPerJob(Size size) {
        return kind == Kind.Alone ? 1 : size.ranks();
    }

    @Override
    List<Pod> speakers(String name) {
        return podsWith("job-name", name);
    }
}
