/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobStatusesTest {
    private static final DirectJob JOB = new DirectJob(
            "work",
            new OwnerRef("batch/v1", "Job", "ring", "0f4e8a26-5f5c-4c0e-9a4a-4a3e1f0f7d11"),
            List.of(new DirectJob.App("ring", 1, 2, 2)),
            Duration.ofMinutes(1),
            RankOrder.index,
            null);

    private static FabricJobStatus status(JobPhase phase, boolean unconnected, @Nullable FabricJobStatus last) {
        return status(0, phase, unconnected, null, last);
    }

    private static FabricJobStatus status(
            int attempt,
            JobPhase phase,
            boolean unconnected,
            @Nullable JobClients clients,
            @Nullable FabricJobStatus last) {
        Progress progress =
                new Progress(attempt, phase, 2, 4, 1, List.of(), 0, List.of(), 0, null, null, unconnected, clients);
        return JobStatuses.status(JOB, null, progress, Placement.UNKNOWN, last, new Conditions(Clock.systemUTC()));
    }

    private static Optional<Condition> ranksConnected(FabricJobStatus status) {
        return status.conditions().stream()
                .filter(condition -> condition.type().equals("RanksConnected"))
                .findFirst();
    }

    @ParameterizedTest
    @EnumSource(names = {"Succeeded", "Failed"})
    void aJobOfWhichNoRankHasAskedItsServerSaysSoAlsoWhenAnotherReplicaHasItThen(JobPhase phase) {
        FabricJobStatus told = status(phase, true, null);
        assertThat(ranksConnected(told)).hasValueSatisfying(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.False);
            assertThat(condition.message())
                    .startsWith("no rank called PMIx_Init")
                    .contains("PMI_Init", "PMIX_* and PMI_*");
        });
        assertThat(ranksConnected(status(phase, false, told))).isPresent();
        assertThat(ranksConnected(status(phase, false, null))).isEmpty();
    }

    @Test
    void howRanksFoundEachOtherStaysForTheAttemptAlsoWhereAnotherReplicaHearsOfFewer() {
        JobClients all = new JobClients(1, 3, 0);
        FabricJobStatus told = status(0, JobPhase.Running, false, all, null);
        assertThat(told.clients()).isEqualTo(all);
        assertThat(status(0, JobPhase.Running, false, new JobClients(0, 1, 0), told)
                        .clients())
                .isEqualTo(all);
        assertThat(status(0, JobPhase.Succeeded, false, null, told).clients()).isEqualTo(all);
        assertThat(status(1, JobPhase.Assembling, false, null, told).clients()).isNull();
    }
}
