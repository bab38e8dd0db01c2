/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FrozenWatches;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a Job of two pods. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class JobFaultsTest extends JobFaultsCase {
    private String namespace;

    @BeforeAll
    void start(ControlPlane cluster, @ClassNamespace String name, @TempDir Path directory) {
        namespace = name;
        startServer(cluster, directory);
    }

    @Override
    protected FabricJob play(String name, Runnable meanwhile) {
        Job job = jobs.createJob(namespace, name, 2, Map.of());
        List<Pod> pods = jobs.pods(job, 2);
        meanwhile.run();
        int first = launch(pods, -1);
        int second = launch(pods, first);
        assertThat(second).isGreaterThan(first);
        // As pmixd tells it: until it is heard.
        for (Pod pod : pods) {
            eventually(() -> assertThat(side(pod).event(second, "finished 0")).isEqualTo(204));
        }
        // The replica that has heard of one may end before it hears of the other.
        pods.forEach(pod -> jobs.end(pod, "Succeeded"));
        return jobs.fabricJob(job, JobPhase.Succeeded);
    }

    private int launch(List<Pod> pods, int after) {
        return launch(pods.stream()
                .<Supplier<CompletableFuture<HttpResponse<byte[]>>>>map(
                        pod -> () -> side(pod).joinUntilAnswered(report(JobCase.index(pod), 0, after, 1)))
                .toList());
    }

    /** A replica that has not heard of a job yet holds its pods. A direct MPIJob that took 31 s may have begun like this, which is not established. */
    @Test
    void aPodOfWhichTheReplicaHasNotHeardYetIsNotRefused() throws Exception {
        FrozenWatches frozen = new FrozenWatches(Duration.ofSeconds(1), false);
        frozen.begin(server);
        try {
            List<Pod> pods = jobs.pods(jobs.createJob(namespace, "unheard", 2, Map.of()), 2);
            for (Pod pod : pods) {
                assertThat(now(side(pod).join(report(JobCase.index(pod), 0, -1, 1)))
                                .statusCode())
                        .isIn(200, 204, 503);
            }
            frozen.meanwhile(server);
            assertThat(launch(pods, -1)).isZero();
        } finally {
            frozen.meanwhile(server);
        }
    }
}
