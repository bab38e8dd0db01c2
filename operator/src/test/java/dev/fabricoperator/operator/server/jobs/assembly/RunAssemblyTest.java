/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Jobs whose ranks run when mpirun in the launcher's pod asks for them: two workers with two slots each. */
class RunAssemblyTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final RunRequest ALL_SLOTS = new RunRequest(0, 0, false);

    private final Assembly assembly = new Assembly(
            job(),
            null,
            Assembly.HostsToPrepare.NONE,
            (attempt, pods) -> ("attempt " + attempt).getBytes(StandardCharsets.UTF_8));
    private Instant now = START;

    private static DirectJob job() {
        return new DirectJob(
                "space",
                new OwnerRef("kubeflow.org/v2beta1", "MPIJob", "pi", "01234567-89ab"),
                List.of(new DirectJob.App("launcher", 1, 1, 0), new DirectJob.App("worker", 1, 2, 2)),
                Duration.ofMinutes(10),
                RankOrder.index,
                null);
    }

    private static JobPodId pod(int ordinal) {
        String name = "pi-" + ordinal;
        return new JobPodId(ordinal, name, name, START, "node");
    }

    private Reply join(int ordinal, int launcher, int after, int ranks, @Nullable RunRequest run) {
        byte[] instance = new byte[16];
        instance[0] = (byte) launcher;
        return assembly.join(
                pod(ordinal),
                new PodReport(instance, after, new byte[4], 27000, ranks, "", "", List.of()).asking(run),
                now,
                now);
    }

    private Reply worker(int ordinal, int after) {
        return join(ordinal, 0, after, 2, null);
    }

    private Reply mpirun(int call, RunRequest run) {
        return join(0, call, -1, 0, run);
    }

    private static String map(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Whole.class);
        return new String(((Reply.Whole) reply).map(), StandardCharsets.UTF_8);
    }

    private static String refusal(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Refused.class);
        return ((Reply.Refused) reply).sentence();
    }

    @Test
    void everyCallOfMpirunIsAnAttemptOfTheSameWorkers() {
        worker(1, -1);
        worker(2, -1);
        assertThat(map(mpirun(1, ALL_SLOTS))).isEqualTo("attempt 0");

        assertThat(worker(1, 0)).isEqualTo(new Reply.Wait());
        // The next call may be quicker than a worker that still ends the run before.
        assertThat(mpirun(2, ALL_SLOTS)).isEqualTo(new Reply.Wait());
        assertThat(map(worker(2, 0))).isEqualTo("attempt 1");

        assertThat(mpirun(3, ALL_SLOTS)).isEqualTo(new Reply.Wait());
        worker(1, 1);
        assertThat(map(worker(2, 1))).isEqualTo("attempt 2");
    }

    @Test
    void workersWaitForMpirunForAsLongAsItTakes() {
        worker(1, -1);
        now = START.plus(Duration.ofDays(3));
        assembly.expire(now);
        assertThat(assembly.phase()).isEqualTo(JobPhase.Assembling);
        worker(2, -1);
        assertThat(map(mpirun(1, ALL_SLOTS))).isEqualTo("attempt 0");
    }

    @Test
    void mpirunWaitsForWorkersNoLongerThanItMayAndTheNextCallTriesAgain() {
        worker(1, -1);
        mpirun(1, ALL_SLOTS);
        now = START.plus(Duration.ofMinutes(10));
        int before = assembly.epoch();
        assembly.expire(now);

        assertThat(assembly.epoch()).isGreaterThan(before);
        assertThat(assembly.reply(pod(0)))
                .isEqualTo(new Reply.TimedOut(
                        "the job did not become whole within 600 s: 1 of 3 pods have not come: worker index 1"));
        assertThat(assembly.reply(pod(1))).isEqualTo(new Reply.Wait());

        mpirun(2, ALL_SLOTS);
        assertThat(map(worker(2, -1))).isEqualTo("attempt 0");
    }

    @Test
    void moreRanksThanSlotsAreRefusedUnlessTheyAreAskedFor() {
        worker(1, -1);
        worker(2, -1);
        assertThat(refusal(mpirun(1, new RunRequest(5, 0, false))))
                .isEqualTo(
                        "there are not enough slots available: mpirun asks for 5 ranks, and 2 workers have 2 slots each;"
                                + " raise spec.slotsPerWorker, or use --oversubscribe");
        assertThat(refusal(mpirun(1, new RunRequest(0, 3, false)))).contains("asks for 6 ranks, 3 in each worker");
        assertThat(refusal(mpirun(1, new RunRequest(3, 1, true))))
                .isEqualTo("3 ranks do not fit into 2 workers with 1 each");
        assertThat(map(mpirun(1, new RunRequest(5, 0, true)))).isEqualTo("attempt 0");
    }

    private boolean isBetweenAttempts(int ordinal, int launcher, int after, @Nullable RunRequest run) {
        byte[] instance = new byte[16];
        instance[0] = (byte) launcher;
        return assembly.isBetweenAttempts(
                ordinal > 2 ? null : pod(ordinal),
                new PodReport(instance, after, new byte[4], 27000, ordinal == 0 ? 0 : 2, "", "", List.of())
                        .asking(run));
    }

    @Test
    void theJobMayBeOfAnotherSizeWhereAPodIsNotInTheRunThatGoesOn() {
        assertThat(isBetweenAttempts(1, 0, -1, null)).as("no run").isTrue();
        assertThat(isBetweenAttempts(3, 0, -1, null)).as("a worker more").isTrue();
        worker(1, -1);
        worker(2, -1);
        mpirun(1, ALL_SLOTS);

        assertThat(isBetweenAttempts(0, 1, -1, ALL_SLOTS)).as("asks again").isFalse();
        assertThat(isBetweenAttempts(2, 0, -1, null)).as("asks again").isFalse();
        assertThat(isBetweenAttempts(3, 0, -1, null))
                .as("a worker more while the run goes on")
                .isFalse();
        assertThat(isBetweenAttempts(2, 0, 0, null)).as("waits for the next").isTrue();
        assertThat(isBetweenAttempts(0, 2, -1, new RunRequest(5, 0, false)))
                .as("another run, which the job as it is known has no room for")
                .isTrue();
        assembly.gone(pod(0));
        assertThat(isBetweenAttempts(3, 0, -1, null)).as("the launcher is lost").isTrue();
    }

    @Test
    void onlyTheLaunchersPodAsksForRuns() {
        assertThat(refusal(join(1, 0, -1, 0, ALL_SLOTS))).contains("reports 0 ranks");
        assertThat(refusal(join(0, 0, -1, 2, null))).contains("reports 2 ranks");
    }

    @Test
    void anMpiJobThatHasEndedHasNoMoreRuns() {
        worker(1, -1);
        worker(2, -1);
        assertThat(assembly.isAbandoned()).isTrue();
        mpirun(1, ALL_SLOTS);
        assertThat(assembly.isAbandoned()).isFalse();
        worker(1, 0);
        assembly.over(new JobEnd(true, "MPIJob pi has succeeded"));

        assertThat(assembly.phase()).isEqualTo(JobPhase.Succeeded);
        assertThat(refusal(worker(2, 0))).isEqualTo("MPIJob pi has ended");
    }

    @Test
    void ranksGoToWorkerAfterWorkerBySlots() {
        assertThat(RunRanks.of(new RunRequest(3, 0, false), 3, 2)).containsExactly(2, 1, 0);
        assertThat(RunRanks.of(new RunRequest(0, 0, false), 3, 2)).containsExactly(2, 2, 2);
        assertThat(RunRanks.of(new RunRequest(0, 1, false), 3, 2)).containsExactly(1, 1, 1);
        assertThat(RunRanks.of(new RunRequest(2, 1, false), 3, 2)).containsExactly(1, 1, 0);
        assertThat(RunRanks.of(new RunRequest(8, 0, true), 3, 2)).containsExactly(3, 3, 2);
    }
}
