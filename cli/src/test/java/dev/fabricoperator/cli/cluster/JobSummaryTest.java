/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobSummaryTest {
    private static final Condition WHOLE =
            condition("Whole", ConditionStatus.True, "AllPodsJoined", "all 4 pods of attempt 0 have their map");
    private static final Condition RUNS = condition("Finished", ConditionStatus.False, "RanksRun", "");
    private static final Condition IMAGE_VOLUME = condition(
            "OneContainer", ConditionStatus.True, "ImageVolume", "the PMIx servers run in the containers of the ranks");

    private static Condition condition(String type, ConditionStatus status, String reason, String message) {
        return new Condition(type, status, null, null, reason, message);
    }

    private static JobSummary summary(@Nullable FabricJobStatus status) {
        FabricJob job = new FabricJob();
        job.setMetadata(
                new ObjectMetaBuilder().withNamespace("lab").withName("ring").build());
        job.setSpec(new FabricJobSpec(
                List.of(new JobAppSpec("driver", 1, 1), new JobAppSpec("workers", 3, 2)), "index", 600L));
        job.setStatus(status);
        return JobSummary.of(job);
    }

    private static JobSummary summary(JobPhase phase, @Nullable Integer missing, Condition... conditions) {
        return summary(FabricJobStatusBuilder.builder()
                .phase(phase)
                .missingTotal(missing)
                .conditions(List.of(conditions))
                .build());
    }

    @Test
    void podsOfAllAppsAreCountedAndThoseThatHaveComeAreTheRest() {
        assertThat(summary(JobPhase.Running, null, WHOLE, RUNS).readyPods()).isEqualTo(4);
        JobSummary assembling = summary(JobPhase.Assembling, 3, RUNS);
        assertThat(assembling.pods()).isEqualTo(4);
        assertThat(assembling.readyPods()).isEqualTo(1);
    }

    @Test
    void theProtocolsOfItsRanksAreNamedWithTheirNumbers() {
        assertThat(List.of(new JobClients(7, 0, 0), new JobClients(1, 5, 1), new JobClients(0, 0, 7)))
                .extracting(clients -> summary(FabricJobStatusBuilder.builder()
                                .clients(clients)
                                .build())
                        .protocols())
                .containsExactly("7 PMIx", "1 PMIx, 5 PMI-1, 1 none", "7 none");
        assertThat(summary(JobPhase.Running, null, RUNS).protocols()).isNull();
    }

    @Test
    void ofAJobWithoutAStatusIsUnknownWhoHasCome() {
        JobSummary unknown = summary(null);
        assertThat(unknown.pods()).isEqualTo(4);
        assertThat(unknown.readyPods()).isNull();
        assertThat(unknown.phase()).isNull();
        assertThat(unknown.problem()).isNull();
    }

    @Test
    void aJobThatRunsOrIsDoneHasNoProblem() {
        assertThat(summary(JobPhase.Running, null, WHOLE, RUNS, IMAGE_VOLUME).problem())
                .isNull();
        Condition done = condition("Finished", ConditionStatus.True, "JobSucceeded", "every rank ended with code 0");
        assertThat(summary(JobPhase.Succeeded, null, WHOLE, done, IMAGE_VOLUME).problem())
                .isNull();
    }

    @Test
    void aJobThatHasEndedWellAndOfWhichNoRankHasAskedItsServerSaysSo() {
        Condition done = condition("Finished", ConditionStatus.True, "JobSucceeded", "every rank ended with code 0");
        Condition alone =
                condition("RanksConnected", ConditionStatus.False, "NoRankConnected", "no rank called PMIx_Init");
        assertThat(summary(JobPhase.Succeeded, null, WHOLE, done, alone).problem())
                .isEqualTo("no rank called PMIx_Init");
        Condition failed = condition("Finished", ConditionStatus.True, "JobFailed", "pod ring-0: no PMIx");
        assertThat(summary(JobPhase.Failed, null, WHOLE, failed, alone).problem())
                .isEqualTo("pod ring-0: no PMIx");
    }

    @Test
    void aJobThatNamesAFabricWhichIsNotThereSaysSo() {
        Condition unknown = condition("FabricsFound", ConditionStatus.False, "NoSuchFabric", "no Fabric typo");
        assertThat(summary(JobPhase.Running, null, WHOLE, RUNS, unknown).problem())
                .isEqualTo("no Fabric typo");
    }

    @Test
    void theProblemOfAJobThatWaitsIsWhoIsMissing() {
        Condition missing = condition(
                "Whole", ConditionStatus.False, "PodsMissing", "1 of 4 pods have not come: index 3 of workers");
        assertThat(summary(JobPhase.Assembling, 1, missing, RUNS).problem()).isEqualTo(missing.message());
        Condition late = condition("Whole", ConditionStatus.False, "AssemblyTimedOut", "after 600 s 1 of 4 pods");
        Condition none = condition("Finished", ConditionStatus.True, "AssemblyTimedOut", "no rank was started");
        assertThat(summary(JobPhase.TimedOut, 1, late, none).problem()).isEqualTo(late.message());
    }

    @Test
    void theProblemOfAFailedJobIsWhatFailedAndNotThatItsPodsHaveGone() {
        Condition failed = condition("Finished", ConditionStatus.True, "JobFailed", "pod ring-2: rank 2 ended with 7");
        Condition gone = condition("Whole", ConditionStatus.False, "PodsMissing", "4 of 4 pods have not come");
        assertThat(summary(JobPhase.Failed, 4, gone, failed).problem()).isEqualTo(failed.message());
    }

    @Test
    void theProblemOfAJobThatCannotBeLaunchedIsWhyWhateverItsPhase() {
        Condition refused = condition("Whole", ConditionStatus.False, "CannotBeLaunched", "200000 pods are too many");
        Condition failed = condition("Finished", ConditionStatus.True, "JobFailed", "a pod ended with another code");
        assertThat(summary(JobPhase.Failed, 4, failed, refused).problem()).isEqualTo(refused.message());
        assertThat(summary(JobPhase.Assembling, 4, RUNS, refused).problem()).isEqualTo(refused.message());
    }

    @Test
    void whatEndedTheAttemptBeforeIsAProblemOfTheNext() {
        Condition before = condition("Finished", ConditionStatus.False, "RanksRun", "pod ring-1: rank 1 ended with 3");
        assertThat(summary(JobPhase.Running, null, WHOLE, before).problem()).isEqualTo(before.message());
    }

    @Test
    void whyPmixServersHaveTheirOwnContainersIsNoProblem() {
        Condition second = condition("OneContainer", ConditionStatus.False, "SecondContainer", "node n1 has 1.34.2");
        JobSummary job = summary(JobPhase.Running, null, WHOLE, RUNS, second);
        assertThat(job.podShape()).isEqualTo("SecondContainer");
        assertThat(job.whySecondContainer()).isEqualTo("node n1 has 1.34.2");
        assertThat(job.problem()).isNull();
        assertThat(summary(JobPhase.Running, null, WHOLE, RUNS, IMAGE_VOLUME).whySecondContainer())
                .isNull();
    }
}
