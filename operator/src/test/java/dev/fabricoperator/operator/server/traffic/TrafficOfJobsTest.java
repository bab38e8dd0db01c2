/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TrafficOfJobsTest {
    private final TrafficOfJobs jobs = new TrafficOfJobs();

    private static JobTrafficAnswer answer(String job, int attempt, String asOf, int pairs, double... secondsOfPods) {
        return answer("lab", job, attempt, asOf, pairs, secondsOfPods);
    }

    private static JobTrafficAnswer answer(
            String namespace, String job, int attempt, String asOf, int pairs, double... secondsOfPods) {
        List<JobTrafficAnswer.Pod> pods = new ArrayList<>();
        for (double seconds : secondsOfPods) {
            pods.add(new JobTrafficAnswer.Pod("pod-" + pods.size(), "node", seconds, asOf, true, 0, List.of()));
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
                3);
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
}
