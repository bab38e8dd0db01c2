/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OwnerRefusalsTest {
    private static final String KIND = "Job of batch/v1";

    private final OwnerRefusals refusals = new OwnerRefusals(Duration.ofSeconds(60));

    private boolean isToTell(String kind, String job, int second) {
        return refusals.isToTell(kind, job, Duration.ofSeconds(second).toNanos());
    }

    @Test
    void whatLastsIsToldOnceForAllJobsOfAKind() {
        assertThat(isToTell(KIND, "work/a", 0)).isFalse();
        assertThat(isToTell(KIND, "work/b", 30)).isFalse();
        assertThat(isToTell(KIND, "work/a", 61)).isTrue();
        assertThat(isToTell(KIND, "work/b", 62)).isFalse();
        assertThat(isToTell(KIND, "work/a", 121)).isFalse();
        assertThat(isToTell("MPIJob of kubeflow.org/v2beta1", "work/c", 122)).isFalse();
    }

    @Test
    void anOwnerThatCanBeReadDoesNotHideOneThatCannot() {
        boolean told = false;
        for (int second = 0; second <= 90; second += 30) {
            told |= isToTell(KIND, "denied/a", second);
            refusals.remove("work/b");
        }
        assertThat(told).isTrue();
    }

    @Test
    void whatCouldBeReadMeanwhileHasNotLasted() {
        assertThat(isToTell(KIND, "work/a", 0)).isFalse();
        refusals.remove("work/a");
        assertThat(isToTell(KIND, "work/a", 70)).isFalse();
        assertThat(isToTell(KIND, "work/a", 131)).isTrue();
        refusals.remove("work/a");
        assertThat(isToTell(KIND, "work/a", 140)).isFalse();
        assertThat(isToTell(KIND, "work/a", 201)).isTrue();
    }
}
