/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.protocol.job.RunRequest;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Of an MPIJob of two workers, whose {@code mpirun} is called twice. Kubeflow's MPI Operator makes its pods. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@ResourceLock(MpiOperator.LOCK)
class MpiJobFaultsTest extends JobFaultsCase {
    private static final String NAMESPACE = "default";
    private static final String NODE = "without-kubelet";
    private static final int WORKERS = 2;
    private static final int SLOTS = 2;

    private ServerProcess mpiOperator;

    @BeforeAll
    void start(ControlPlane cluster, @TempDir Path directory) throws InterruptedException {
        MpiOperator.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        mpiOperator = MpiOperator.start(cluster, directory);
        startServer(cluster, directory);
        // Of pods without a node the server hears nothing.
        jobs.createNode(NODE);
    }

    @Override
    @AfterAll
    void stopServer() {
        if (mpiOperator != null) {
            try {
                super.stopServer();
            } finally {
                mpiOperator.kill();
            }
        }
    }

    @Override
    protected FabricJob play(String name, Runnable meanwhile) {
        create(name);
        Pod launcher = pods(name, "launcher", 1).getFirst();
        List<Pod> workers = pods(name, "worker", WORKERS);
        meanwhile.run();
        int first = run(launcher, 1, workers, -1);
        int second = run(launcher, 2, workers, first);
        assertThat(second).isGreaterThan(first);
        // As pmixd tells it: until it is heard.
        for (Pod pod : Stream.concat(Stream.of(launcher), workers.stream()).toList()) {
            eventually(() -> assertThat(side(pod).event(second, "running")).isEqualTo(204));
        }
        jobs.end(launcher, "Succeeded");
        eventually(() -> {
            // The pmixd of a worker waits for the next run.
            for (Pod worker : workers) {
                now(side(worker).watch(second));
            }
            assertThat(Objects.requireNonNull(get(name).getStatus()).phase()).isEqualTo(JobPhase.Succeeded);
        });
        return get(name);
    }

    private FabricJob get(String name) {
        return jobs.admin
                .resources(FabricJob.class)
                .inNamespace(NAMESPACE)
                .withName(name)
                .require();
    }

    private void create(String name) {
        jobs.admin
                .genericKubernetesResources(MpiOperator.JOB)
                .inNamespace(NAMESPACE)
                .load(new ByteArrayInputStream(
                        """
                        apiVersion: kubeflow.org/v2beta1
                        kind: MPIJob
                        metadata: {namespace: %1$s, name: %2$s}
                        spec:
                          slotsPerWorker: %4$d
                          mpiReplicaSpecs:
                            Launcher:
                              replicas: 1
                              restartPolicy: Never
                              template: &template
                                metadata:
                                  annotations: {fabric-operator.dev/launch: direct}
                                  labels: {fabric-operator.dev/launch: direct}
                                spec: {nodeName: %5$s, containers: [{name: ranks, image: none}]}
                            Worker:
                              replicas: %3$d
                              template: *template
                        """.formatted(NAMESPACE, name, WORKERS, SLOTS, NODE).getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    /** Once there are so many of a role, by name. */
    private List<Pod> pods(String name, String role, int count) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> MpiOperator.pods(jobs.admin, NAMESPACE, name, role).stream()
                                .sorted(Comparator.comparing(
                                        pod -> pod.getMetadata().getName()))
                                .toList(),
                        pods -> pods.size() == count);
    }

    /** @param call of mpirun, each a process of its own */
    private int run(Pod launcher, int call, List<Pod> workers, int after) {
        List<Supplier<CompletableFuture<HttpResponse<byte[]>>>> asking = new ArrayList<>();
        asking.add(() -> side(launcher)
                .joinUntilAnswered(report(0, call, -1, 0).asking(new RunRequest(WORKERS * SLOTS, 0, false))));
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            asking.add(() -> side(workers.get(worker)).joinUntilAnswered(report(1 + worker, 0, after, SLOTS)));
        }
        return launch(asking);
    }
}
