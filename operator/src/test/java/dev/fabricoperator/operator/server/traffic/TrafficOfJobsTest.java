/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TrafficOfJobsTest {
    private final HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final TrafficOfJobs jobs = new TrafficOfJobs(clock.steady(), new JobBytes(meters, clock.steady()));

    private static JobTrafficAnswer answer(String job, int attempt, String asOf, int pairs, double... secondsOfPods) {
        return answer("lab", job, attempt, asOf, pairs, secondsOfPods);
    }

    private static JobTrafficAnswer answer(
            String namespace, String job, int attempt, String asOf, int pairs, double... secondsOfPods) {
        List<JobTrafficAnswer.Pod> pods = new ArrayList<>();
        for (double seconds : secondsOfPods) {
            pods.add(new JobTrafficAnswer.Pod("pod-" + pods.size(), "node", null, seconds, asOf, true, 0, List.of()));
        }
        return new JobTrafficAnswer(
                namespace,
                job,
                attempt,
                1,
                asOf,
                null,
                null,
                0,
                0,
                pods,
                Collections.nCopies(pairs, new JobTrafficAnswer.Pair("a", "b", 1, 0, null)),
                0,
                0,
                3,
                null,
                null,
                null);
    }

    @Test
    void aPodThatHasToldNothingNewIsAsOldAsItWas() {
        jobs.told("uid", answer("ring", 0, "early", 0, 1.5, 2.5));
        jobs.told("uid", answer("ring", 0, "late", 0, 1.5, 3.5));

        assertThat(Objects.requireNonNull(jobs.of("lab", "ring")).devicesLeftOut())
                .isEqualTo(3);
        assertThat(Objects.requireNonNull(jobs.of("lab", "ring")).pods())
                .extracting(JobTrafficAnswer.Pod::asOf)
                .containsExactly("early", "late");

        jobs.told("uid", answer("ring", 1, "next", 0, 1.5));
        assertThat(Objects.requireNonNull(jobs.of("lab", "ring")).pods())
                .extracting(JobTrafficAnswer.Pod::asOf)
                .containsExactly("next");
    }

    private static JobTrafficAnswer sent(String job, int attempt, double seconds, @Nullable Long bytes) {
        return new JobTrafficAnswer(
                "lab", job, attempt, seconds, "now", bytes, bytes, 0, 0, List.of(), List.of(), 0, 0, 0, null, null,
                null);
    }

    private @Nullable Double counted(String job) {
        Counter counter = meters.find("fabric_operator_job_bytes")
                .tag("namespace", "lab")
                .tag("job", job)
                .counter();
        return counter == null ? null : counter.count();
    }

    @Test
    void theCounterOfAJobNeverGoesBackAndGoesOnWithItsNextAttempt() {
        jobs.told("uid", sent("ring", 0, 1, 100L));
        jobs.told("uid", sent("ring", 0, 2, 250L));
        assertThat(counted("ring")).isEqualTo(250);
        // A device is told no more.
        jobs.told("uid", sent("ring", 0, 3, 120L));
        assertThat(counted("ring")).isEqualTo(250);
        jobs.told("uid", sent("ring", 0, 4, 260L));
        assertThat(counted("ring")).isEqualTo(260);
        // A copy that another replica has sent again.
        jobs.told("uid", sent("ring", 0, 2, 900L));
        assertThat(counted("ring")).isEqualTo(260);
        jobs.told("uid", sent("ring", 1, 1, 10L));
        jobs.told("another", sent("ring", 1, 1, 5L));
        assertThat(counted("ring")).isEqualTo(275);

        jobs.told("uid", sent("unknown", 0, 1, null));
        assertThat(counted("unknown")).isNull();
    }

    @Test
    void onlyTheJobsThatSendMostHaveACounterAndThoseThatTellNothingMoreMakeRoom() {
        for (int job = 0; job < JobBytes.MOST; job++) {
            jobs.told("uid", sent("job-" + job, 0, 1, 1_000L + job));
        }
        jobs.told("uid", sent("small", 0, 1, 999L));
        assertThat(counted("small")).isNull();
        jobs.told("uid", sent("large", 0, 1, 5_000L));
        assertThat(counted("large")).isEqualTo(5_000);
        assertThat(counted("job-0")).isNull();

        clock.move(JobBytes.LATELY.plus(Duration.ofSeconds(1)));
        jobs.told("uid", sent("small", 0, 2, 1_000L));
        assertThat(counted("small")).isEqualTo(1_000);
        assertThat(counted("job-1")).isNull();
        assertThat(meters.find("fabric_operator_job_bytes").counters()).hasSize(JobBytes.MOST);
    }

    @Test
    void anotherJobOfTheSameNameBeginsWithNothing() {
        jobs.told("uid", answer("ring", 0, "early", 0));
        jobs.begins("lab", "ring", "uid");
        assertThat(jobs.of("lab", "ring")).isNotNull();
        assertThat(jobs.of("other", "ring")).isNull();

        jobs.begins("lab", "ring", "another");
        assertThat(jobs.of("lab", "ring")).isNull();
    }

    @Test
    void aTenantOfManyJobsMakesNoneOfAnotherTenantBeForgotten() {
        jobs.told("uid", answer("other", "ring", 0, "now", 0));
        for (int job = 0; job < 2 * TrafficOfJobs.MOST_JOBS; job++) {
            jobs.told("uid", answer("job-" + job, 0, "now", 0));
        }
        assertThat(jobs.of("other", "ring")).isNotNull();
    }

    @Test
    void theJobsThatWereToldOfLongestAgoMakeRoom() {
        for (int job = 0; job < TrafficOfJobs.MOST_JOBS + 1; job++) {
            jobs.told("uid", answer("job-" + job, 0, "now", 0));
        }
        assertThat(jobs.of("lab", "job-0")).isNull();
        assertThat(jobs.of("lab", "job-1")).isNotNull();

        jobs.told("uid", answer("job-1", 0, "now", 0));
        jobs.told("uid", answer("large", 0, "now", (int) TrafficOfJobs.MOST_ENTRIES - 3));
        assertThat(jobs.of("lab", "large")).isNotNull();
        assertThat(jobs.of("lab", "job-1")).isNotNull();
        assertThat(jobs.of("lab", "job-2")).isNull();
    }

    @Test
    void aJobIsWatchedForSomeSecondsAfterSomebodyHasAskedAndOtherReplicasAreToldNowAndThen() {
        List<String> told = new ArrayList<>();
        jobs.listen((namespace, job) -> told.add(namespace + "/" + job), (namespace, job) -> job.equals("ring"));
        assertThat(jobs.isWatched("lab", "ring")).isFalse();

        assertThat(jobs.watch("lab", "ring")).isNull();
        assertThat(jobs.watch("lab", "ring")).isNull();
        assertThat(told).containsExactly("lab/ring");
        clock.move(TrafficOfJobs.NOTICE_PAUSE);
        assertThat(jobs.watch("lab", "ring")).isNull();
        assertThat(told).hasSize(2);
        assertThat(jobs.isWatched("lab", "ring")).isTrue();
        assertThat(jobs.isWatched("other", "ring")).isFalse();

        clock.move(TrafficOfJobs.WATCHED);
        assertThat(jobs.isWatched("lab", "ring")).isFalse();

        jobs.watchedElsewhere("lab", "ring");
        assertThat(jobs.isWatched("lab", "ring")).isTrue();
        assertThat(told).as("what another replica says is told nobody").hasSize(2);
    }

    @Test
    void whereTooManyAreWatchedAnotherOneIsWhenOneOfThemIsNotAnyMore() {
        jobs.listen((namespace, job) -> {}, (namespace, job) -> true);
        for (int job = 0; job <= TrafficOfJobs.MOST_WATCHED; job++) {
            jobs.watch("lab", "job-" + job);
        }
        String last = "job-" + TrafficOfJobs.MOST_WATCHED;
        assertThat(jobs.isWatched("lab", last)).isFalse();

        clock.move(TrafficOfJobs.WATCHED);
        jobs.watch("lab", last);
        assertThat(jobs.isWatched("lab", last)).isTrue();
    }

    @Test
    void ofTooManyThatAreWatchedTheNamespaceWithTheMostMakesRoom() {
        jobs.listen((namespace, job) -> {}, (namespace, job) -> true);
        for (int job = 0; job < TrafficOfJobs.MOST_WATCHED; job++) {
            jobs.watch("lab", "job-" + job);
        }
        jobs.watch("other", "ring");
        assertThat(jobs.isWatched("other", "ring")).isTrue();
        assertThat(jobs.isWatched("lab", "job-0")).isFalse();
        assertThat(jobs.isWatched("lab", "job-1")).isTrue();
    }

    @Test
    void aNameThatNoJobHasIsNotWatchedAndOtherReplicasAreAskedForItNowAndThen() {
        List<String> told = new ArrayList<>();
        jobs.listen((namespace, job) -> told.add(job), (namespace, job) -> false);
        jobs.watch("lab", "nothing");
        jobs.watch("lab", "nothing");
        jobs.watchedElsewhere("lab", "nothing");
        assertThat(jobs.isWatched("lab", "nothing")).isFalse();
        assertThat(told).containsExactly("nothing");

        jobs.told("uid", answer("nothing", 0, "now", 0));
        jobs.watch("lab", "nothing");
        assertThat(jobs.isWatched("lab", "nothing")).isTrue();
    }

    @Test
    void aCopyThatIsLateChangesNothing() {
        jobs.told("uid", answer("ring", 1, "late", 0, 2));
        jobs.told("uid", answer("ring", 0, "early", 0, 1));
        assertThat(Objects.requireNonNull(jobs.of("lab", "ring")).asOf()).isEqualTo("late");
        jobs.told("another", answer("ring", 0, "anew", 0, 1));
        assertThat(Objects.requireNonNull(jobs.of("lab", "ring")).asOf()).isEqualTo("anew");
    }

    @Test
    void newsOfAJobAreAsOldAsThoseOfItsPodThatWasSilentForLongest() {
        // Each second one of two pods has news, as where they look at different times.
        jobs.told("uid", answer("ring", 0, "now", 0, 100, 100));
        for (int second = 1; second <= 20; second++) {
            clock.move(Duration.ofSeconds(1));
            jobs.told("uid", answer("ring", 0, "now", 0, 100 + second / 2 * 2, 99 + (second + 1) / 2 * 2));
        }

        TrafficOfJobs.Told told = Objects.requireNonNull(jobs.told("lab", "ring"));
        assertThat(Duration.between(told.newsAt(), clock.steady().instant())).isEqualTo(Duration.ofSeconds(1));
        assertThat(told.rates().seconds()).isEqualTo(2);
    }
}
