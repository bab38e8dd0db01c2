/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.PMIXD;
import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.held;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static dev.fabricoperator.e2e.job.direct.FaultCase.uid;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pods and their containers die on real nodes, at every stage of a launch. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class PodFaultsTest {
    private final FaultCase faults;

    PodFaultsTest(FaultCase faults) {
        this.faults = faults;
    }

    /** The same pod, whose containers have run on: its launcher has ended the ranks and started them again. */
    private void assertStayed(Pod pod) {
        Pod now = faults.now(pod);
        assertThat(uid(now)).isEqualTo(uid(pod));
        assertThat(now.getStatus().getContainerStatuses())
                .allSatisfy(status -> assertThat(status.getRestartCount()).isZero());
    }

    private void assertFollowed(String job, int attempt) {
        // The FabricJob is written when its pods have been told already.
        soon().untilAsserted(() -> assertThat(faults.fabricJob(job).attempt()).isEqualTo(attempt));
        soon().untilAsserted(() -> assertThat(faults.events(job))
                .anySatisfy(event -> assertThat(event).startsWith("NewAttempt: attempt " + attempt)));
    }

    @Test
    void aPodThatDiesBeforeTheJobIsWholeIsReplacedAndCostsNoAttempt() {
        faults.create(held(job("early", 2, "mpi-proof", "1")));
        Pod first = faults.pod("early", 0);
        faults.open(first);
        faults.awaitLog(first, PMIXD, "launcher connected");

        faults.remove(first);
        Pod second = faults.pod("early", 0, pod -> !uid(pod).equals(uid(first)));
        faults.open(second);
        faults.open(faults.pod("early", 1));

        faults.awaitEnd("early", "Complete");
        assertThat(faults.log(second, RANKS)).contains("ring ok, collectives ok, 2 ranks on 2 nodes");
        FabricJobStatus told = faults.awaitPhase("early", JobPhase.Succeeded);
        assertThat(told.attempt()).isZero();
    }

    @Test
    void aPodThatDiesDuringAFenceMakesANewAttemptInWhichTheSurvivorsGoOn() {
        // Rank 0 never comes to the first attempt's fence, so that the others are in it.
        faults.create(job("fence", 3, "sh", "-c", """
                case $PMIX_NAMESPACE.$PMIX_RANK in *-0.0) echo stays away; exec sleep 1000;; esac
                echo begins
                exec mpi-proof 1"""));
        Pod late = faults.pod("fence", 0);
        Pod dies = faults.pod("fence", 1);
        Pod waits = faults.pod("fence", 2);
        faults.awaitLog(late, RANKS, "stays away");
        faults.awaitLog(dies, RANKS, "begins");
        faults.awaitLog(waits, RANKS, "begins");

        faults.remove(dies);

        Job end = faults.awaitEnd("fence", "Complete");
        assertThat(end.getStatus().getFailed())
                .as("survivors do not count against the backoffLimit")
                .isEqualTo(1);
        assertThat(faults.log(late, RANKS)).contains("ring ok, collectives ok, 3 ranks on 3 nodes");
        assertStayed(late);
        assertStayed(waits);
        assertFollowed("fence", 1);
        faults.awaitPhase("fence", JobPhase.Succeeded);
    }

    @Test
    void aPodWhoseProgramIsKilledWhileRanksRunIsReplacedAndAllRunAgain() {
        faults.create(job("killed", 2, "mpi-steady", "1000", "0"));
        Pod survivor = faults.pod("killed", 0);
        Pod dies = faults.pod("killed", 1);
        faults.awaitLog(survivor, RANKS, "steady: attempt 0 rank 0 of 2 begins");

        faults.kill(dies, RANKS);

        Job end = faults.awaitEnd("killed", "Complete");
        assertThat(end.getStatus().getFailed()).isEqualTo(1);
        assertThat(faults.log(survivor, RANKS))
                .containsPattern("is lost: .*; waiting for the next attempt")
                .contains("steady: attempt 1, all sums ok");
        assertThat(status(faults.now(dies), RANKS).getState().getTerminated().getExitCode())
                .isEqualTo(137);
        assertStayed(survivor);
        assertFollowed("killed", 1);
    }

    @Test
    void aPodWhosePmixdIsKilledIsReplacedAndAllRunAgain() {
        assertStayed(faults.survivorOfKilledPmixd("headless"));
        assertFollowed("headless", 1);
    }

    @Test
    void aContainerThatStartsAgainInALivingPodIsANewAttempt() {
        for (String container : List.of(RANKS, PMIXD)) {
            String name = "again-" + container;
            faults.create(job(name, 2, "mpi-steady", "1000", "0")
                    .editSpec()
                    // The Job controller counts the restarts of all containers.
                    .withBackoffLimit(6)
                    .editTemplate()
                    .editSpec()
                    .withRestartPolicy("OnFailure")
                    .endSpec()
                    .endTemplate()
                    .endSpec());
            Pod survivor = faults.pod(name, 0);
            Pod restarts = faults.pod(name, 1);
            faults.awaitLog(survivor, RANKS, "steady: attempt 0 rank 0 of 2 begins");

            faults.kill(restarts, container);

            faults.awaitEnd(name, "Complete");
            Pod after = faults.now(restarts);
            assertThat(uid(after)).isEqualTo(uid(restarts));
            assertThat(after.getStatus().getContainerStatuses())
                    .allSatisfy(status -> assertThat(status.getRestartCount()).isEqualTo(1));
            assertStayed(survivor);
            assertThat(faults.log(survivor, RANKS)).contains("steady: attempt 1, all sums ok");
            assertFollowed(name, 1);
        }
    }

    @Test
    void aPodThatDiesWithoutARetryLeftEndsTheJobAndItsFabricJobSaysSo() {
        faults.create(job("last", 2, "mpi-steady", "1000", "0")
                .editSpec()
                .withBackoffLimit(0)
                .endSpec());
        Pod survivor = faults.pod("last", 0);
        faults.awaitLog(survivor, RANKS, "steady: attempt 0 rank 0 of 2 begins");

        faults.kill(faults.pod("last", 1), RANKS);

        faults.awaitEnd("last", "Failed");
        faults.awaitPhase("last", JobPhase.Failed);
    }

    @Test
    void aCommandThatIsNotInTheImageEndsItsPodsWithItsUsualCode() {
        // Alone: a pod that still runs is deleted when another one fails the Job.
        faults.create(job("typo", 1, "mpi-prof").editSpec().withBackoffLimit(0).endSpec());
        Pod pod = faults.pod("typo", 0);

        faults.awaitEnd("typo", "Failed");

        soon().untilAsserted(
                        () -> assertThat(faults.now(pod).getStatus().getPhase()).isEqualTo("Failed"));
        assertThat(status(faults.now(pod), RANKS).getState().getTerminated().getExitCode())
                .isEqualTo(127);
        assertThat(faults.log(pod, RANKS)).contains("mpi-prof: not found");
    }

    @Test
    void twoJobsAtOnceOnOneNodeDoNotMeet() {
        List<String> names = List.of("one", "other");
        for (String name : names) {
            faults.create(job(name, 2, "mpi-steady", "2", "2")
                    .editSpec()
                    .editTemplate()
                    .editSpec()
                    .addToNodeSelector("kubernetes.io/hostname", "node-1")
                    .endSpec()
                    .endTemplate()
                    .endSpec());
        }
        for (String name : names) {
            faults.awaitEnd(name, "Complete");
            assertThat(faults.log(faults.pod(name, 0), RANKS))
                    .contains("steady: attempt 0 rank 0 of 2 begins", "steady: attempt 0, all sums ok");
            assertThat(faults.awaitPhase(name, JobPhase.Succeeded).attempt()).isZero();
        }
    }

    @Test
    void theSameNameAgainIsAnotherJobAlsoWhileThePodsOfTheFirstStillEnd() {
        Job first = faults.create(job("name", 2, "mpi-steady", "1000", "1000"));
        faults.awaitLog(faults.pod("name", 0), RANKS, "steady: attempt 0 rank 0 of 2 begins");
        String before = faults.awaitPhase("name", JobPhase.Running).nspace();

        faults.admin.resource(first).delete();
        soon().until(() -> faults.admin.resource(first).get() == null);
        Job second = faults.create(job("name", 2, "mpi-proof", "1"));

        faults.awaitEnd("name", "Complete");
        FabricJobStatus told = faults.awaitPhase("name", JobPhase.Succeeded);
        assertThat(told.attempt()).isZero();
        assertThat(told.nspace())
                .isNotEqualTo(before)
                .contains(second.getMetadata().getUid().substring(0, 8));
    }
}
