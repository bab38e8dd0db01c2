/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.nio.file.Path;
import java.util.List;

/** An Indexed Job: bare, one container that prints the clock, which is the floor; or direct, the MPI program in it. */
final class IndexedJob extends JobLauncher {
    private final boolean direct;

    IndexedJob(Cluster cluster, Path directory, boolean direct) {
        super(cluster, directory);
        this.direct = direct;
    }

    @Override
    public String name() {
        return direct ? "direct" : "floor";
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
                      - name: main
                        image: %5$s
                        imagePullPolicy: Never
                        command: %6$s
                        env:
                        - {name: OMPI_MCA_mpi_yield_when_idle, value: "1"}
                """.formatted(
                        name,
                        NAMESPACE,
                        size.pods(),
                        direct
                                ? "      annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: \""
                                        + size.ranksPerPod() + "\"}"
                                : "      annotations: {}",
                        LaunchImages.NAME,
                        direct ? "[mpi-clock]" : "[date, '+floor %s.%N']");
    }

    @Override
    List<Pod> speakers(String name) {
        return podsWith("job-name", name).stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Succeeded"))
                .toList();
    }

    @Override
    boolean isFinished(String name) {
        Job job = admin().batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(name)
                .get();
        if (job == null || job.getStatus() == null || job.getStatus().getConditions() == null) {
            return false;
        }
        return job.getStatus().getConditions().stream()
                .filter(condition -> condition.getStatus().equals("True"))
                .anyMatch(condition -> {
                    if (condition.getType().equals("Failed")) {
                        throw new LaunchFailedException(name + " failed: " + condition.getMessage());
                    }
                    return condition.getType().equals("Complete");
                });
    }

    @Override
    int failedAttempts(String name) {
        return (int) podsWith("job-name", name).stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Failed"))
                .count();
    }

    @Override
    void delete(String name) {
        admin().batch().v1().jobs().inNamespace(NAMESPACE).withName(name).delete();
    }
}
