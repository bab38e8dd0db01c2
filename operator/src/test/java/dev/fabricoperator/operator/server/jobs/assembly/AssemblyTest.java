/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly.FailureEvidence;
import dev.fabricoperator.protocol.job.PodReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AssemblyTest {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final Assembly assembly = assembly(null);
    private Instant now = START;

    private static Assembly assembly(Assembly.@Nullable StoredAttempt stored) {
        return new Assembly(job(3, null), stored, Assembly.HostsToPrepare.NONE, (attempt, pods) -> text(attempt, pods));
    }

    static DirectJob job(int pods, @Nullable String refusal) {
        return job(new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"), pods, refusal);
    }

    private static DirectJob job(OwnerRef owner, int pods, @Nullable String refusal) {
        return new DirectJob(
                "space", owner, List.of(new DirectJob.App("ring", 1, pods, 2)), TIMEOUT, RankOrder.index, refusal);
    }

    static byte[] text(int attempt, List<Assembly.JoinedPod> pods) {
        return (attempt + " " + pods.stream().map(j -> j.pod().name()).toList()).getBytes(StandardCharsets.UTF_8);
    }

    static JobPodId pod(int ordinal) {
        return pod(ordinal, 0);
    }

    /** @param generation 0 for the first pod of an index, 1 for its replacement ... */
    static JobPodId pod(int ordinal, int generation) {
        String name = "ring-" + ordinal + "-" + generation;
        return new JobPodId(ordinal, name, name, START.plusSeconds(generation), "node-" + ordinal % 2);
    }

    static PodReport report(int launcher, int after) {
        byte[] instance = new byte[16];
        instance[0] = (byte) launcher;
        return new PodReport(instance, after, new byte[4], 27000, 2, "", "", List.of());
    }

    private Reply join(Assembly to, JobPodId pod, int launcher, int after) {
        return to.join(pod, report(launcher, after), now, now);
    }

    private Reply join(int ordinal) {
        return join(assembly, pod(ordinal), 0, -1);
    }

    private static String map(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Whole.class);
        return new String(((Reply.Whole) reply).map(), StandardCharsets.UTF_8);
    }

    @Test
    void allPodsGetTheSameBytesOnceTheLastHasCome() {
        assertThat(join(2)).isEqualTo(new Reply.Wait());
        assertThat(join(0)).isEqualTo(new Reply.Wait());
        assertThat(join(0)).isEqualTo(new Reply.Wait());
        int before = assembly.epoch();

        Reply last = join(1);

        assertThat(map(last)).isEqualTo("0 [ring-0-0, ring-1-0, ring-2-0]");
        assertThat(assembly.epoch()).isGreaterThan(before);
        assertThat(assembly.reply(pod(2))).isEqualTo(last);
        assertThat(join(0)).as("its answer was lost").isEqualTo(last);
        assertThat(assembly.progress())
                .isEqualTo(new Progress(
                        0, JobPhase.Running, 3, 6, 2, List.of(), 0, List.of(), 0, START, null, false, null));
    }

    @Test
    void noRankIsConnectedWhereEveryPodOfTheAttemptThatEndsWellSaysSo() {
        join(0);
        join(1);
        join(2);
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            assembly.unconnected(pod(ordinal));
        }
        assertThat(assembly.progress().unconnected()).as("ranks run").isFalse();
        join(assembly, pod(1, 1), 1, -1);
        join(assembly, pod(0), 0, 0);
        join(assembly, pod(2), 0, 0);
        assembly.unconnected(pod(0));
        assembly.unconnected(pod(2));
        assembly.ended(pod(0), 0, null);
        assembly.ended(pod(2), 0, null);
        assembly.ended(pod(1, 1), 0, null);
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Succeeded);
        assertThat(assembly.progress().unconnected())
                .as("what one says of another attempt")
                .isFalse();
    }

    @Test
    void eachPodTellsOnceHowItsRanksFoundTheOthersAndAnotherAttemptBeginsAnew() {
        join(0);
        join(1);
        assertThat(assembly.clients(pod(0), new JobClients(2, 0, 0)))
                .as("not whole yet")
                .isFalse();
        join(2);
        assertThat(assembly.progress().clients()).isNull();
        int before = assembly.version();
        assertThat(assembly.clients(pod(0), new JobClients(2, 0, 0))).isTrue();
        assertThat(assembly.version()).isGreaterThan(before);
        assertThat(assembly.clients(pod(0), new JobClients(0, 2, 0)))
                .as("its answer was lost")
                .isFalse();
        assertThat(assembly.clients(pod(2), new JobClients(0, 3, 0)))
                .as("more than it has")
                .isFalse();
        assertThat(assembly.clients(pod(2), new JobClients(0, 0, 0)))
                .as("of nobody")
                .isFalse();
        assertThat(assembly.clients(pod(2), new JobClients(0, 1, 1))).isTrue();
        assertThat(assembly.progress().clients()).isEqualTo(new JobClients(2, 1, 1));
        join(assembly, pod(1, 1), 1, -1);
        assertThat(assembly.progress().clients()).isNull();
    }

    @Test
    void aReplicaThatLearnsOfALaterAttemptForgetsHowRanksOfTheEarlierOneFoundEachOther() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Running, null));
        assertThat(restarted.clients(pod(0), new JobClients(0, 2, 0))).isTrue();
        assertThat(restarted.isOutdated(pod(1, 1), 1)).isFalse();
        assertThat(restarted.progress().clients()).isNull();
        assertThat(restarted.clients(pod(0), new JobClients(2, 0, 0))).isTrue();
    }

    @Test
    void aReplicaThatHasNotMadeTheMapAsksTheOwnerSinceItMayNotHaveHeardOfEachPodsEnd() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Running, null));
        restarted.ended(pod(1), 0, null);
        restarted.ended(pod(2), 0, null);
        assertThat(restarted.phase()).as("of the first one nobody has told").isEqualTo(JobPhase.Running);
        assertThat(restarted.asksOwner()).isTrue();
        restarted.over(new JobEnd(true, "Job ring is complete"));
        assertThat(restarted.phase()).isEqualTo(JobPhase.Succeeded);
        join(0);
        join(1);
        join(2);
        assertThat(assembly.asksOwner()).as("it hears of each").isFalse();
    }

    @Test
    void whyAPodThatAskedNoServerHasFailedIsWhatThePodSays() {
        join(0);
        join(1);
        join(2);
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            assembly.unconnected(pod(ordinal));
        }
        assembly.ended(pod(0), 3, null);
        assertThat(assembly.progress().failure()).isEqualTo("pod ring-0-0: ended with code 3");
        assembly.ended(pod(1), 1, "no rank has called PMIx_Init");
        assembly.ended(pod(2), 1, null);
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Failed);
        assertThat(assembly.progress().unconnected()).isTrue();
        assertThat(assembly.progress().failure())
                .as("of equals the first")
                .isEqualTo("pod ring-0-0: ended with code 3");
    }

    @Test
    void aReplacedPodMakesANewAttemptThatTheSurvivorsHearOf() {
        join(0);
        join(1);
        join(2);
        assertThat(assembly.isOutdated(pod(0), 0)).isFalse();

        assertThat(join(assembly, pod(1, 1), 1, -1)).isEqualTo(new Reply.Wait());

        assertThat(assembly.isOutdated(pod(0), 0)).isTrue();
        assertThat(join(assembly, pod(0), 0, 0)).isEqualTo(new Reply.Wait());
        assertThat(map(join(assembly, pod(2), 0, 0))).isEqualTo("1 [ring-0-0, ring-1-1, ring-2-0]");
        assertThat(assembly.isOutdated(pod(0), 1)).isFalse();
    }

    private boolean isBetweenAttempts(JobPodId pod, int launcher, int after) {
        return assembly.isBetweenAttempts(pod, report(launcher, after));
    }

    @Test
    void theJobMayBeOfAnotherSizeWhereAJoinBeginsAnAttemptAndNotWhereItIsInOneOrRefused() {
        assertThat(isBetweenAttempts(pod(0), 0, -1)).as("nobody waits").isTrue();
        join(0);
        assertThat(isBetweenAttempts(pod(1), 0, -1)).as("others wait").isFalse();
        assertThat(assembly.isBetweenAttempts(null, report(0, -1)))
                .as("a pod more, while others wait")
                .isTrue();
        join(1);
        join(2);
        assertThat(isBetweenAttempts(pod(1), 0, -1)).as("asks again").isFalse();
        assertThat(assembly.isBetweenAttempts(null, report(0, -1)))
                .as("a pod more")
                .isFalse();
        assertThat(isBetweenAttempts(pod(1, 1), 1, -1)).as("replaced").isTrue();
        assertThat(isBetweenAttempts(pod(1), 1, -1)).as("restarted").isTrue();
        join(assembly, pod(1, 1), 1, -1);
        join(assembly, pod(0), 0, 0);
        join(assembly, pod(2), 0, 0);
        assertThat(isBetweenAttempts(pod(1), 7, 0)).as("its slot is taken").isFalse();

        assembly.ended(pod(0), 0, null);
        assertThat(isBetweenAttempts(pod(2, 1), 1, -1))
                .as("another has completed")
                .isFalse();
        assembly.ended(pod(1, 1), 1, null);
        assembly.ended(pod(2), 1, null);
        assertThat(assembly.phase()).isEqualTo(JobPhase.Failed);
        assertThat(assembly.isBetweenAttempts(null, report(0, -1)))
                .as("all have ended")
                .isTrue();
    }

    @Test
    void aRestartedContainerIsANewAttempt() {
        join(0);
        join(1);
        join(2);

        assertThat(join(assembly, pod(1), 9, -1)).isEqualTo(new Reply.Wait());

        assertThat(assembly.progress().attempt()).isEqualTo(1);
        assertThat(assembly.isOutdated(pod(2), 0)).isTrue();
    }

    @Test
    void aContainerThatRestartsBeforeTheJobIsWholeCostsNoAttempt() {
        join(0);
        join(assembly, pod(0), 9, -1);
        join(1);

        assertThat(map(join(2))).startsWith("0 ");
    }

    @Test
    void theLaterOfTwoPodsWithOneIndexHasIt() {
        join(0);
        assertThat(join(assembly, pod(0, 1), 1, -1)).isEqualTo(new Reply.Wait());

        assertThat(assembly.reply(pod(0)))
                .isEqualTo(new Reply.Refused(
                        "index 0 is taken by the later pod ring-0-1: pod ring-0-0 has no place in the job"));
        assertThat(join(0)).isInstanceOf(Reply.Refused.class);
        join(1);
        assertThat(map(join(2))).isEqualTo("0 [ring-0-1, ring-1-0, ring-2-0]");
        assertThat(join(0)).as("also once the job is whole").isInstanceOf(Reply.Refused.class);
    }

    @Test
    void aPodThatDiesWhileItWaitsIsNotWaitedWith() {
        join(0);
        join(1);

        assembly.gone(pod(1));
        join(2);

        assertThat(assembly.progress().missing()).containsExactly(1);
        assertThat(map(join(assembly, pod(1, 1), 1, -1))).isEqualTo("0 [ring-0-0, ring-1-1, ring-2-0]");
    }

    @Test
    void theTimeoutNamesWhoIsMissingAndItsPodsHearOfItAgainAndAgain() {
        join(0);
        now = START.plusSeconds(300);
        join(2);
        assembly.expire(START.plus(TIMEOUT).minusMillis(1));
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Assembling);

        assembly.expire(START.plus(TIMEOUT));

        Reply told = assembly.reply(pod(0));
        assertThat(told)
                .isEqualTo(new Reply.TimedOut(
                        "the job did not become whole within 600 s: 1 of 3 pods have not come: index 1"));
        assertThat(join(2)).isEqualTo(told);
        assertThat(assembly.progress().missing()).containsExactly(1);
    }

    @Test
    void aRetryAfterTheTimeoutIsAnotherAttemptWithItsOwnTime() {
        join(0);
        assembly.expire(START.plus(TIMEOUT));
        now = START.plus(TIMEOUT).plusSeconds(5);

        join(assembly, pod(0, 1), 1, -1);
        join(assembly, pod(1), 1, -1);
        assembly.expire(now.plus(TIMEOUT).minusMillis(1));

        assertThat(map(join(assembly, pod(2), 1, -1))).startsWith("1 ");
    }

    @Test
    void whatCannotBeLaunchedIsRefusedWithTheOwnersSentence() {
        Assembly refused = new Assembly(
                job(3, "set parallelism to 3"), null, Assembly.HostsToPrepare.NONE, (attempt, pods) -> new byte[0]);

        assertThat(join(refused, pod(0), 0, -1)).isEqualTo(new Reply.Refused("set parallelism to 3"));
    }

    @Test
    void aReportThatContradictsTheTemplateIsRefused() {
        PodReport lie = new PodReport(new byte[16], -1, new byte[4], 27000, 64, "", "", List.of());

        assertThat(assembly.join(pod(0), lie, now, now))
                .isEqualTo(new Reply.Refused("pod ring-0-0 reports 64 ranks, and the template of ring asks for 2"));
    }

    @Test
    void theJobHasSucceededWhenEveryPodHas() {
        join(0);
        join(1);
        join(2);
        assembly.ended(pod(0), 0, null);
        assembly.ended(pod(1), 0, null);
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Running);

        assembly.ended(pod(2), 0, null);
        assembly.ended(pod(2), 7, "too late");

        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Succeeded);
        assertThat(join(assembly, pod(2, 1), 1, -1)).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void theFirstFailureIsKeptAndARetryBeginsAnew() {
        join(0);
        join(1);
        join(2);
        assembly.failed(pod(1), FailureEvidence.RankExited, "rank 3 ended with code 7");
        assembly.ended(pod(1), 7, null);
        assembly.ended(pod(0), 143, null);
        assembly.ended(pod(2), 143, null);

        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Failed);
        assertThat(assembly.progress().failure()).isEqualTo("pod ring-1-0: rank 3 ended with code 7");
        join(assembly, pod(1, 1), 1, -1);
        assertThat(assembly.progress())
                .isEqualTo(new Progress(
                        1, JobPhase.Assembling, 1, 2, 1, List.of(0, 2), 2, List.of(), 0, START, null, false, null));
    }

    /** A Job with backoffLimitPerIndex goes on with its other indices. */
    @Test
    void podsThatWaitForOneThatItsOwnerMakesNoMoreAreToldAtOnce() {
        assertThat(assembly.asksOwner()).isTrue();
        join(0);
        join(1);
        assertThat(assembly.asksOwner()).isTrue();
        JobEnd end = new JobEnd(false, "Job ring makes no pod again of index 2");

        int before = assembly.epoch();
        assembly.over(end);

        assertThat(assembly.epoch()).isGreaterThan(before);
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Failed);
        assertThat(assembly.reply(pod(0))).isEqualTo(new Reply.Refused(end.words()));
        assertThat(assembly.asksOwner()).isFalse();

        join(assembly, pod(0, 1), 1, -1);
        assembly.over(end);
        assertThat(assembly.reply(pod(0, 1))).isEqualTo(new Reply.Refused(end.words()));
        assertThat(assembly.progress().failure()).isEqualTo(end.words());
    }

    @Test
    void aJobWhoseRanksRunDoesNotAskItsOwner() {
        join(0);
        join(1);
        join(2);
        assertThat(assembly.asksOwner()).isFalse();
        assembly.over(new JobEnd(false, "Job ring makes no pod again of index 2"));
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Running);
    }

    /** Its pods are ended by a signal, of which they say that it ended a rank. */
    @Test
    void aJobWhoseTimeWasOverSaysSo() {
        join(0);
        join(1);
        join(2);
        assembly.failed(pod(1), FailureEvidence.RankKilled, "rank 3 was ended by signal 15");
        for (int i = 0; i < 3; i++) {
            assembly.ended(pod(i), 143, null);
        }
        assertThat(assembly.asksOwner()).isTrue();

        assembly.over(new JobEnd(false, "Job ring has failed: DeadlineExceeded, of that", true));

        assertThat(assembly.progress().failure())
                .isEqualTo(
                        "Job ring has failed: DeadlineExceeded, of that; pod ring-1-0: rank 3 was ended by signal 15");
        assertThat(assembly.asksOwner()).isFalse();
    }

    /** As with a successPolicy: when the ranks that it names are done, the Job ends the other pods. */
    @Test
    void aJobThatIsCompleteThoughPodsFailedHasSucceeded() {
        join(0);
        join(1);
        join(2);
        assembly.ended(pod(0), 0, null);
        assembly.failed(pod(1), FailureEvidence.RankKilled, "rank 3 was ended by signal 15");
        assembly.ended(pod(1), 143, null);
        assembly.ended(pod(2), 143, null);

        assembly.over(new JobEnd(true, "Job ring is complete: SuccessPolicy"));

        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Succeeded);
        assertThat(assembly.progress().failure()).isNull();
    }

    @Test
    void whyRanksFailedStaysWhereTheOwnerHasGivenUpForThem() {
        join(0);
        join(1);
        join(2);
        assembly.failed(pod(1), FailureEvidence.RankExited, "rank 3 ended with code 7");
        for (int i = 0; i < 3; i++) {
            assembly.ended(pod(i), 7, null);
        }
        assembly.over(new JobEnd(false, "Job ring has failed: BackoffLimitExceeded"));

        assertThat(assembly.progress().failure()).isEqualTo("pod ring-1-0: rank 3 ended with code 7");
        assertThat(assembly.asksOwner()).isFalse();
    }

    @Test
    void theRankThatWasKilledIsToldAndNotTheOneThatLostItAndWasHeardFirst() {
        join(0);
        join(1);
        join(2);
        assembly.failed(pod(2), FailureEvidence.RankAborted, "rank 5 aborted with code 14");
        assembly.ended(pod(0), 139, null);
        assembly.failed(pod(1), FailureEvidence.RankKilled, "rank 2 was ended by signal 11");
        assembly.failed(pod(0), FailureEvidence.RankKilled, "rank 1 was ended by signal 11");
        assembly.failed(pod(0), FailureEvidence.RankExited, "rank 0 ended with code 3");
        assembly.ended(pod(1), 139, null);
        assembly.ended(pod(2), 139, null);

        assertThat(assembly.progress().failure()).isEqualTo("pod ring-1-0: rank 2 was ended by signal 11");
    }

    @Test
    void aPodThatIsRetriedAfterAnotherCompletedIsToldWhyItCannotRun() {
        join(0);
        join(1);
        join(2);
        assembly.ended(pod(0), 0, null);

        assertThat(join(assembly, pod(1, 1), 1, -1))
                .isEqualTo(new Reply.Refused(
                        "index 0 has already completed (pod ring-0-0), so that the job cannot be whole again"));
    }

    @Test
    void podsThatPushAgainAfterARestartBecomeWhole() {
        join(0);
        join(1);
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Assembling, START));

        join(restarted, pod(1), 0, -1);
        join(restarted, pod(2), 0, -1);

        assertThat(map(join(restarted, pod(0), 0, -1))).startsWith("0 ");
    }

    @Test
    void theTimeoutGoesOnAcrossARestart() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Assembling, START));
        now = START.plusSeconds(590);
        join(restarted, pod(0), 0, -1);

        restarted.expire(START.plus(TIMEOUT));

        assertThat(restarted.progress().phase()).isEqualTo(JobPhase.TimedOut);
    }

    @Test
    void aRestartWhileRanksRunIsNotNoticed() {
        Assembly restarted = assembly(null);

        assertThat(restarted.isOutdated(pod(0), 4)).isFalse();
        assertThat(restarted.isOutdated(pod(1), 4)).isFalse();
        assertThat(restarted.progress().phase()).isEqualTo(JobPhase.Running);
        assertThat(restarted.progress().nodes()).isEqualTo(2);
        for (int i = 0; i < 3; i++) {
            restarted.ended(pod(i), 0, null);
        }
        assertThat(restarted.progress().phase()).isEqualTo(JobPhase.Succeeded);
    }

    @Test
    void aRestartWhileTheMapWasGivenOutCostsOneAttemptAndNobodyWaitsForEver() {
        // Pod 0 has the map of attempt 0; the answers to 1 and 2 were lost with the replica.
        Assembly restarted = assembly(null);
        join(restarted, pod(1), 0, -1);
        join(restarted, pod(2), 0, -1);

        assertThat(restarted.isOutdated(pod(0), 0)).isTrue();
        assertThat(map(join(restarted, pod(0), 0, 0))).isEqualTo("1 [ring-0-0, ring-1-0, ring-2-0]");
        assertThat(map(restarted.reply(pod(1)))).startsWith("1 ");
    }

    @Test
    void aRestartThatIsHeardOfByItsRunningPodsFirstCostsOneAttemptToo() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(2, JobPhase.Running, null));
        assertThat(restarted.isOutdated(pod(0), 2)).isFalse();

        join(restarted, pod(1), 0, 1);

        assertThat(restarted.isOutdated(pod(0), 2)).isTrue();
        assertThat(restarted.progress().attempt()).isEqualTo(3);
    }

    @Test
    void aJobThatIsGivenUpAfterAllItsPodsHaveGoneHasFailedForWhatEndedItsLastAttempt() {
        for (int i = 0; i < 3; i++) {
            assembly.join(pod(i), report(i, -1), now, now);
        }
        assembly.over(new JobEnd(false, "too early: pods are here"));
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Running);
        assembly.failed(pod(1), FailureEvidence.PodEnded, "its pod failed");
        assembly.join(pod(0), report(0, 0), now, now);
        assertThat(assembly.isAbandoned()).isFalse();
        assembly.gone(pod(0));
        assertThat(assembly.isAbandoned()).isTrue();

        assembly.over(new JobEnd(false, "Job ring has failed: BackoffLimitExceeded"));

        Progress end = assembly.progress();
        assertThat(end.phase()).isEqualTo(JobPhase.Failed);
        assertThat(end.failure())
                .isEqualTo("Job ring has failed: BackoffLimitExceeded; attempt 0: pod ring-1-0: its pod failed");
        assertThat(end.missing()).containsExactly(0, 1, 2);
        assertThat(assembly.join(pod(0, 1), report(7, -1), now, now)).isInstanceOf(Reply.Wait.class);
        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Assembling);
    }

    @Test
    void aJobWhoseOwnerMakesAllPodsAgainRunsAgainThoughSomeHadCompleted() {
        Assembly set = endedAndDeleted(new OwnerRef("jobset.x-k8s.io/v1alpha2", "JobSet", "ring", "01234567-89ab"));

        join(set, pod(1, 1), 1, -1);
        join(set, pod(2, 1), 1, -1);

        assertThat(map(join(set, pod(0, 1), 1, -1))).isEqualTo("1 [ring-0-1, ring-1-1, ring-2-1]");
    }

    @Test
    void aJobThatNeverMakesACompletedPodAgainDoesNotWaitForItWhoeverHasClearedItAway() {
        Assembly job = endedAndDeleted(new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"));

        assertThat(join(job, pod(1, 1), 1, -1))
                .isEqualTo(new Reply.Refused(
                        "index 0 has already completed (pod ring-0-0), so that the job cannot be whole again"));
    }

    private Assembly endedAndDeleted(OwnerRef owner) {
        Assembly ended = new Assembly(
                job(owner, 3, null), null, Assembly.HostsToPrepare.NONE, (attempt, pods) -> text(attempt, pods));
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            join(ended, pod(ordinal), 0, -1);
        }
        ended.ended(pod(0), 0, null);
        ended.ended(pod(1), 1, null);
        ended.ended(pod(2), 0, null);
        assertThat(join(ended, pod(1, 1), 1, -1)).isInstanceOf(Reply.Refused.class);
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            ended.deleted(pod(ordinal));
        }
        return ended;
    }

    @Test
    void aServiceWhoseProgramHasEndedWellBeginsAgainWithTheNextAttempt() {
        OwnerRef owner = new OwnerRef("apps/v1", "StatefulSet", "ring", "01234567-89ab");
        Assembly service = new Assembly(
                job(owner, 3, null), null, Assembly.HostsToPrepare.NONE, (attempt, pods) -> text(attempt, pods));
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            join(service, pod(ordinal), 0, -1);
        }
        service.ended(pod(0), 0, null);

        assertThat(join(service, pod(0), 1, -1)).as("while others run").isEqualTo(new Reply.Wait());
        assertThat(service.isOutdated(pod(1), 0)).isTrue();
        join(service, pod(1), 1, -1);
        assertThat(map(join(service, pod(2), 0, 0))).isEqualTo("1 [ring-0-0, ring-1-0, ring-2-0]");
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            service.ended(pod(ordinal), 0, null);
        }
        assertThat(service.phase()).isEqualTo(JobPhase.Succeeded);

        assertThat(join(service, pod(2), 2, -1)).isEqualTo(new Reply.Wait());
        assertThat(service.progress().attempt()).isEqualTo(2);
    }

    @Test
    void aPodWhoseSlotAnotherHasCanSayNothingOfTheJob() {
        join(0);
        join(assembly, pod(0, 1), 1, -1);
        join(1);
        join(2);
        Progress before = assembly.progress();

        assembly.failed(pod(0), FailureEvidence.PodEnded, "lies");
        assembly.ended(pod(0), 0, null);
        assembly.gone(pod(0));
        assertThat(assembly.isOutdated(pod(0), 7)).isTrue();
        assertThat(assembly.isOutdated(pod(2, 1), 7)).as("has never joined").isTrue();
        assembly.failed(pod(2, 1), FailureEvidence.PodEnded, "lies");
        assembly.ended(pod(2, 1), 3, "lies");

        assertThat(assembly.progress()).isEqualTo(before);
    }

    @Test
    void aPodThatWaitsCannotMoveTheAttemptByWatchingALaterOne() {
        join(0);

        assertThat(assembly.isOutdated(pod(0), 900_000)).isTrue();

        join(1);
        assertThat(map(join(2))).startsWith("0 ");
    }

    @Test
    void aPodThatHasNotJoinedTheNextAttemptCannotMoveItEither() {
        join(0);
        join(1);
        join(2);
        join(assembly, pod(1, 1), 1, -1);

        assertThat(assembly.isOutdated(pod(0), 900_000)).isTrue();
        assembly.failed(pod(0), FailureEvidence.PodEnded, "of the attempt before");

        assertThat(assembly.progress().attempt()).isEqualTo(1);
        assertThat(assembly.progress().failure()).isNull();
    }

    /** A pod that is about to go asks again, and the job is read anew when it has no pods any more. */
    @Test
    void aServiceWithoutPodsThatRanBeforeEndsAsItsOwnerSays() {
        OwnerRef owner = new OwnerRef("apps/v1", "StatefulSet", "serving", "01234567-89ab");
        Assembly none = new Assembly(
                job(owner, 0, null),
                new Assembly.StoredAttempt(4, JobPhase.Running, null),
                Assembly.HostsToPrepare.NONE,
                (attempt, pods) -> text(attempt, pods));
        assertThat(none.isAbandoned()).isTrue();

        none.over(new JobEnd(false, "StatefulSet serving has spec.replicas: 0"));

        assertThat(none.progress().phase()).isEqualTo(JobPhase.Failed);
        assertThat(none.isAbandoned()).isFalse();
    }

    @Test
    void aJobWhosePodsAreDeletedWhileTheirRanksRunEndsAsItsOwnerSays() {
        join(0);
        join(1);
        join(2);
        assembly.ended(pod(0), 0, null);
        assembly.deleted(pod(1));
        assertThat(assembly.isAbandoned()).isFalse();
        assembly.deleted(pod(2));
        assertThat(assembly.isAbandoned()).isTrue();

        assembly.over(new JobEnd(false, "Job ring is gone"));

        assertThat(assembly.progress().phase()).isEqualTo(JobPhase.Failed);
        assertThat(assembly.progress().failure()).isEqualTo("Job ring is gone");
    }

    @Test
    void theFirstSixteenMissingPodsAreNamedAndTheOthersCounted() {
        Assembly large =
                new Assembly(job(15_000, null), null, Assembly.HostsToPrepare.NONE, (attempt, pods) -> new byte[0]);
        join(large, pod(1), 0, -1);

        assertThat(large.progress().missing()).containsExactly(0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        assertThat(large.progress().missingPods()).isEqualTo(14_999);
        large.expire(START.plus(TIMEOUT));
        assertThat(large.reply(pod(1)))
                .isEqualTo(
                        new Reply.TimedOut(
                                "the job did not become whole within 600 s: 14999 of 15000 pods have not"
                                        + " come: index 0, index 2, index 3, index 4, index 5, index 6, index 7, index 8 and 14991 more"));
    }

    /** Counts how many members an assembly looks at. */
    private static final class CountedMembers extends HashMap<Integer, Assembly.Member> {
        private static final long serialVersionUID = 1L;

        private int operations;

        @Override
        public Assembly.@Nullable Member get(Object ordinal) {
            operations++;
            return super.get(ordinal);
        }

        @Override
        public Assembly.@Nullable Member put(Integer ordinal, Assembly.Member member) {
            operations++;
            return super.put(ordinal, member);
        }

        @Override
        public Assembly.@Nullable Member remove(Object ordinal) {
            operations++;
            return super.remove(ordinal);
        }

        @Override
        public Collection<Assembly.Member> values() {
            operations += size();
            return super.values();
        }
    }

    private static int operations(int pods) {
        CountedMembers members = new CountedMembers();
        Assembly counted = new Assembly(
                job(pods, null), null, Assembly.HostsToPrepare.NONE, (attempt, joined) -> new byte[0], members);
        for (int i = 0; i < pods; i++) {
            counted.join(pod(i), report(0, -1), START, START);
        }
        for (int i = 0; i < pods; i++) {
            counted.isOutdated(pod(i), 0);
            counted.ended(pod(i), 0, null);
            counted.deleted(pod(i));
        }
        assertThat(counted.phase()).isEqualTo(JobPhase.Succeeded);
        return members.operations;
    }

    @Test
    void whatAPodCostsDoesNotGrowWithTheJob() {
        assertThat(operations(10_000)).isEqualTo(10 * operations(1_000));
    }

    @Test
    void nobodyHasWaitedSinceATimeThatIsToCome() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Assembling, Instant.MAX));
        join(restarted, pod(0), 0, -1);

        restarted.expire(now);
        assertThat(restarted.phase()).isEqualTo(JobPhase.Assembling);
        restarted.expire(now.plus(TIMEOUT));
        assertThat(restarted.phase()).isEqualTo(JobPhase.TimedOut);
    }

    /** Whatever the clock of the replica before said: who writes the object may be another one. */
    @Test
    void nobodyHasWaitedForLongerThanTheTimeout() {
        Assembly restarted = assembly(new Assembly.StoredAttempt(0, JobPhase.Assembling, Instant.MIN));
        join(restarted, new JobPodId(0, "ring-0", "ring-0", Instant.MIN, "node"), 0, -1);

        assertThat(restarted.phase()).isEqualTo(JobPhase.Assembling);
        restarted.expire(now);
        assertThat(restarted.phase()).isEqualTo(JobPhase.TimedOut);
    }
}
