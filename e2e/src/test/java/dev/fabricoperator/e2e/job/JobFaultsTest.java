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
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.DisturbedOperator;
import dev.fabricoperator.e2e.operator.DisturbedOperator.Disturbance;
import dev.fabricoperator.e2e.operator.DisturbedOperator.EndAfterWrite;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FaultyAnswers;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FrozenWatches;
import dev.fabricoperator.e2e.operator.EndState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens between any two writes of the server that launches a job: the job is launched, and what is told of it in the end is what is told without that. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobFaultsTest {
    private static final long SEED = 37;
    private static final int MOST_WRITES = 50;

    @TempDir
    static Path directory;

    private JobCase jobs;
    private String namespace;
    private DisturbedOperator server;
    private URI service;
    private int count;

    @BeforeAll
    void start(ControlPlane cluster, @ClassNamespace String name) {
        namespace = name;
        jobs = new JobCase(cluster, directory);
        String port = Integer.toString(Ports.free());
        service = URI.create("https://127.0.0.1:" + port);
        server = new DisturbedOperator(
                cluster,
                directory,
                api -> jobs.beginServer(
                        api, Map.of("FABRIC_OPERATOR_JOBS_PORT", port, "FABRIC_OPERATOR_JOBS_HOLD", "2s")));
        server.start();
        eventually(() -> assertThat(server.process().isReady()).isTrue());
    }

    @AfterAll
    void stop() {
        server.close();
        jobs.close();
    }

    /** Two attempts of a Job of two pods, the second of which ends well; returns what its FabricJob says then. */
    private SortedSet<String> run(Disturbance disturbance) {
        String name = "job-" + count++;
        disturbance.begin(server);
        Job job = jobs.createJob(namespace, name, 2, Map.of());
        List<Pod> pods = jobs.pods(job, 2);
        disturbance.meanwhile(server);
        int first = launch(pods, -1);
        int second = launch(pods, first);
        assertThat(second).isGreaterThan(first);
        // As pmixd tells it: until it is heard.
        for (Pod pod : pods) {
            eventually(() -> assertThat(jobs.side(service, pod).event(second, "finished 0"))
                    .isEqualTo(204));
        }
        FabricJob ended = jobs.fabricJob(job, JobPhase.Succeeded);
        eventually(() -> assertThat(server.process().isReady()).isTrue());
        return EndState.of(ended).stream()
                .map(line -> line.replace(name, "NAME")
                        .replace(job.getMetadata().getUid().substring(0, 8), "UID"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Pods ask, as pmixd does, until they have the map of an attempt, which is the same for all; a refusal is none of the answers. */
    private int launch(List<Pod> pods, int after) {
        List<Integer> attempts = new ArrayList<>();
        eventually(() -> {
            var asked = pods.stream()
                    .map(pod -> jobs.side(service, pod).joinUntilAnswered(report(JobCase.index(pod), 0, after, 1)))
                    .toList();
            attempts.clear();
            for (var answer : asked) {
                assertThat(now(answer).statusCode()).isNotEqualTo(403);
                attempts.add(PodSide.map(now(answer)).attempt());
            }
            assertThat(attempts.stream().distinct()).hasSize(1);
        });
        return attempts.getFirst();
    }

    private void assertThatTheEndIsTheSame(List<? extends Disturbance> disturbances) {
        SortedSet<String> undisturbed = run(Disturbance.NONE);
        for (Disturbance disturbance : disturbances) {
            assertThat(run(disturbance)).as("%s", disturbance).containsExactlyElementsOf(undisturbed);
            assertThat(disturbance.tookPlace()).as("%s", disturbance).isTrue();
        }
    }

    /** A replica that has not heard of a job yet holds its pods. A direct MPIJob that took 31 s may have begun like this, which is not established. */
    @Test
    void aPodOfWhichTheReplicaHasNotHeardYetIsNotRefused() throws Exception {
        FrozenWatches frozen = new FrozenWatches(Duration.ofSeconds(1), false);
        frozen.begin(server);
        try {
            List<Pod> pods = jobs.pods(jobs.createJob(namespace, "unheard", 2, Map.of()), 2);
            for (Pod pod : pods) {
                assertThat(now(jobs.side(service, pod).join(report(JobCase.index(pod), 0, -1, 1)))
                                .statusCode())
                        .isIn(200, 204, 503);
            }
            frozen.meanwhile(server);
            assertThat(launch(pods, -1)).isZero();
        } finally {
            frozen.meanwhile(server);
        }
    }

    @Test
    void aJobIsLaunchedAndToldOfWhateverTheApiServerAnswers() {
        assertThatTheEndIsTheSame(
                List.of(new FrozenWatches(Duration.ofSeconds(1), true), new FaultyAnswers(SEED), new EndAfterWrite(1)));
    }

    @Tag("long")
    @Test
    void theEndIsTheSameAfterEveryWrite() {
        SortedSet<String> undisturbed = run(Disturbance.NONE);
        boolean ended = true;
        for (int n = 1; ended && n <= MOST_WRITES; n++) {
            EndAfterWrite end = new EndAfterWrite(n);
            assertThat(run(end)).as("%s", end).containsExactlyElementsOf(undisturbed);
            ended = end.tookPlace();
        }
    }

    /** {@code -Dfaults.seed=N} plays one again. */
    @Tag("long")
    @Test
    void theEndIsTheSameWhateverTheApiServerAnswers() {
        long seed = Long.getLong("faults.seed", new Random().nextLong());
        System.out.println("faults of a direct Job, -Dfaults.seed=" + seed);
        Random random = new Random(seed);
        List<Disturbance> disturbances = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            disturbances.add(new FrozenWatches(Duration.ofSeconds(1 + random.nextInt(59)), random.nextBoolean()));
            disturbances.add(new FaultyAnswers(random.nextLong()));
        }
        assertThatTheEndIsTheSame(disturbances);
    }
}
