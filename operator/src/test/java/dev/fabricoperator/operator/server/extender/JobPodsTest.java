/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.job.HostScores.Placed;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.launch.JobKey;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobPodsTest {
    private static final JobKey JOB = new JobKey("default", "job");

    private final HandMovedClock clock = new HandMovedClock(Instant.EPOCH);
    private final JobPods pods = new JobPods(clock.steady(), Duration.ofSeconds(5));

    @Test
    void theBestNodeCountsAsNearUntilTheBindingIsSeen() {
        pods.seen(null, pod("a", null, "Job"));
        pods.seen(null, pod("b", null, "Job"));
        assertThat(pods.others(JOB, "b")).isEqualTo(new JobPods.Others(List.of(), 1));
        pods.assume("a", "node-1");
        assertThat(pods.others(JOB, "b")).isEqualTo(new JobPods.Others(List.of(new Placed("node-1", false)), 0));
        pods.seen(pod("a", null, "Job"), pod("a", "node-2", "Job"));
        assertThat(pods.others(JOB, "b")).isEqualTo(new JobPods.Others(List.of(new Placed("node-2", true)), 0));
        pods.seen(pod("a", "node-2", "Job"), null);
        assertThat(pods.others(JOB, "b")).isEqualTo(new JobPods.Others(List.of(), 0));
    }

    @Test
    void whatWasNeverBoundWaitsAgainAfterAWhile() {
        pods.seen(null, pod("a", null, "Job"));
        pods.assume("a", "node-1");
        clock.move(Duration.ofSeconds(6));
        assertThat(pods.others(JOB, "b")).isEqualTo(new JobPods.Others(List.of(), 1));
    }

    @Test
    void replicasOfADeploymentAreNoJob() {
        assertThat(JobPods.job(pod("a", null, "ReplicaSet"))).isNull();
        assertThat(JobPods.job(pod("a", null, "Job"))).isEqualTo(JOB);
    }

    @Test
    void aQuestionThatNamesNoNodesIsRefusedWithWhatToChange() {
        assertThatThrownBy(() -> ask("{\"Pod\": {\"metadata\": {\"name\": \"a\"}}, \"Nodes\": {\"items\": []}}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nodeCacheCapable");
        assertThatThrownBy(() -> ask("{\"NodeNames\": [\"a\"]}")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask("[")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask("")).isInstanceOf(IOException.class);
    }

    @Test
    void nodesThatNoFabricHasAreEqual() throws IOException, InterruptedException {
        assertThat(
                        ask(
                                "{\"Pod\": {\"metadata\": {\"name\": \"a\", \"namespace\": \"default\"}}, \"NodeNames\": [\"x\", \"y\"]}"))
                .isEqualTo("[{\"Host\":\"x\",\"Score\":0},{\"Host\":\"y\",\"Score\":0}]");
    }

    private String ask(String question) throws IOException, InterruptedException {
        byte[] answer = new Priorities(List.of(), pods, pod -> 0).answer(question.getBytes(StandardCharsets.UTF_8));
        return new String(answer, StandardCharsets.UTF_8);
    }

    private static PodFact pod(String uid, @Nullable String node, String kind) {
        String version = kind.equals("Job") ? "batch/v1" : "apps/v1";
        return new PodFact(
                "default",
                uid,
                uid,
                "1",
                "",
                node,
                List.of(),
                Map.of(),
                new OwnerRef(version, kind, "j", "job"),
                false,
                null,
                null,
                PodFact.Life.Alive);
    }
}
