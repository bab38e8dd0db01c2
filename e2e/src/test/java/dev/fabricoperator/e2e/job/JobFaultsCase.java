/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.operator.DisturbedOperator;
import dev.fabricoperator.e2e.operator.DisturbedOperator.Disturbance;
import dev.fabricoperator.e2e.operator.DisturbedOperator.EndAfterWrite;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FaultyAnswers;
import dev.fabricoperator.e2e.operator.DisturbedOperator.FrozenWatches;
import dev.fabricoperator.e2e.operator.EndState;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Whatever happens between any two writes of the server that launches a job: the job is launched, and what is told of it in the end is what is told without that. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JobFaultsCase {
    private static final long SEED = 37;
    private static final int LONG_MINUTES = 40;
    private static final int MOST_WRITES = 50;

    @SuppressWarnings("NullAway.Init")
    protected JobCase jobs;

    @SuppressWarnings("NullAway.Init")
    protected DisturbedOperator server;

    @SuppressWarnings("NullAway.Init")
    private URI service;

    private int count;

    /** @param directory for settings and logs */
    protected void startServer(ControlPlane cluster, Path directory) {
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
    void stopServer() {
        server.close();
        jobs.close();
    }

    /**
     * Plays two attempts of a job, the second of which ends well.
     *
     * @param meanwhile to be done when the job's pods are there
     * @return what is told of it then
     */
    protected abstract FabricJob play(String name, Runnable meanwhile);

    protected PodSide side(Pod pod) {
        return jobs.side(service, pod);
    }

    /**
     * Pods ask, as pmixd does, until they have the map of an attempt, which is the same for all; a refusal is none of the answers.
     *
     * @return its number
     */
    protected static int launch(List<Supplier<CompletableFuture<HttpResponse<byte[]>>>> asking) {
        List<Integer> attempts = new ArrayList<>();
        eventually(() -> {
            var asked = asking.stream().map(Supplier::get).toList();
            attempts.clear();
            for (var answer : asked) {
                assertThat(now(answer).statusCode()).isNotEqualTo(403);
                attempts.add(PodSide.map(now(answer)).attempt());
            }
            assertThat(attempts.stream().distinct()).hasSize(1);
        });
        return attempts.getFirst();
    }

    private SortedSet<String> end(Disturbance disturbance) {
        System.out.println(getClass().getSimpleName() + ", " + disturbance);
        String name = "job-" + count++;
        disturbance.begin(server);
        FabricJob ended = play(name, () -> disturbance.meanwhile(server));
        eventually(() -> assertThat(server.process().isReady()).isTrue());
        server.leaveInPeace();
        String owner = ended.getMetadata().getOwnerReferences().getFirst().getUid();
        return EndState.of(ended).stream()
                .map(line -> line.replace(name, "NAME").replace(owner.substring(0, 8), "UID"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void assertThatTheEndIsTheSame(List<? extends Disturbance> disturbances) {
        SortedSet<String> undisturbed = end(Disturbance.NONE);
        for (Disturbance disturbance : disturbances) {
            assertThat(end(disturbance)).as("%s", disturbance).containsExactlyElementsOf(undisturbed);
            assertThat(disturbance.tookPlace()).as("%s", disturbance).isTrue();
        }
    }

    @Test
    void aJobIsLaunchedAndToldOfWhateverTheApiServerAnswers() {
        assertThatTheEndIsTheSame(
                List.of(new FrozenWatches(Duration.ofSeconds(1), true), new FaultyAnswers(SEED), new EndAfterWrite(1)));
    }

    @Tag("long")
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    @Test
    void theEndIsTheSameAfterEveryWrite() {
        SortedSet<String> undisturbed = end(Disturbance.NONE);
        boolean ended = true;
        for (int n = 1; ended && n <= MOST_WRITES; n++) {
            EndAfterWrite end = new EndAfterWrite(n);
            assertThat(end(end)).as("%s", end).containsExactlyElementsOf(undisturbed);
            ended = end.tookPlace();
        }
    }

    /** {@code -Dfaults.seed=N} plays one again. */
    @Tag("long")
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    @Test
    void theEndIsTheSameWhateverTheApiServerAnswers() {
        long seed = Long.getLong("faults.seed", new Random().nextLong());
        System.out.println(getClass().getSimpleName() + ", -Dfaults.seed=" + seed);
        Random random = new Random(seed);
        List<Disturbance> disturbances = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            disturbances.add(new FrozenWatches(Duration.ofSeconds(1 + random.nextInt(60)), random.nextBoolean()));
            disturbances.add(new FaultyAnswers(random.nextLong()));
        }
        assertThatTheEndIsTheSame(disturbances);
    }
}
