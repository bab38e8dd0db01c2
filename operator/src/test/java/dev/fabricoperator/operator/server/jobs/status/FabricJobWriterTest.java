/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

class FabricJobWriterTest {
    @Test
    void whatAPodSaysWhileTheProcessEndsIsNoDefect() {
        DirectJob job = new DirectJob(
                "space",
                new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"),
                List.of(new DirectJob.App("ring", 1, 2, 2)),
                Duration.ofMinutes(1),
                RankOrder.index,
                null);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            FabricJobWriter writer = new FabricJobWriter(
                    new FabricJobObject(client, job, new JobOwners(client, SteadyClock.system())),
                    new EventWriter(client, Clock.systemUTC()),
                    new Conditions(Clock.systemUTC()),
                    timer,
                    job,
                    null,
                    null,
                    () -> JobPhase.Running,
                    () -> {
                        throw new AssertionError("nothing is written any more");
                    },
                    () -> Placement.UNKNOWN,
                    attempt -> null,
                    Set::of,
                    end -> {});
            timer.shutdownNow();
            assertThatCode(writer::changed).doesNotThrowAnyException();
        }
    }
}
