/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.traffic.JobRates.OfDevice;
import dev.fabricoperator.operator.server.traffic.JobRates.OfPair;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobRatesTest {
    private static JobTrafficAnswer report(int attempt, double seconds, long bytes, JobTrafficAnswer.Pair... pairs) {
        JobTrafficAnswer.Pod pod = new JobTrafficAnswer.Pod(
                "a",
                "n1",
                null,
                seconds,
                "now",
                true,
                0,
                List.of(
                        new JobTrafficAnswer.Device("mlx5_0", "fab://1", bytes, 2 * bytes, "rdma-port"),
                        new JobTrafficAnswer.Device("eth0", null, bytes, bytes, "interface")));
        return new JobTrafficAnswer(
                "lab",
                "ring",
                attempt,
                seconds,
                "now",
                null,
                null,
                0,
                0,
                List.of(pod),
                List.of(pairs),
                0,
                0,
                0,
                null,
                null,
                null);
    }

    private static JobTrafficAnswer.Pair pair(String to, long bytes) {
        return new JobTrafficAnswer.Pair("a", to, bytes, 0, null);
    }

    @Test
    void theFirstReportOfAnAttemptTellsTheMeanSinceItsRanksBegan() {
        JobRates rates = JobRates.of(report(0, 4, 100, pair("b", 80)), null, null);

        assertThat(rates.pairs()).containsExactly(new OfPair("a", "b", 20));
        assertThat(rates.devices()).containsExactly(new OfDevice("a", "fab://1", false, 25, 50));
        assertThat(rates.seconds()).isEqualTo(4);

        JobTrafficAnswer before = report(0, 4, 100, pair("b", 80));
        assertThat(JobRates.of(report(1, 2, 100, pair("b", 80)), before, rates).pairs())
                .containsExactly(new OfPair("a", "b", 40));
    }

    @Test
    void aLaterReportTellsWhatWasSentSinceTheOneBefore() {
        JobTrafficAnswer before = report(0, 4, 100, pair("b", 80));
        JobRates rates = JobRates.of(report(0, 6, 300, pair("c", 900), pair("b", 100)), before, null);

        // How much of that was sent to c before nobody knows: it was among the pairs that were left out.
        assertThat(rates.pairs()).containsExactly(new OfPair("a", "b", 10));
        assertThat(rates.devices()).containsExactly(new OfDevice("a", "fab://1", false, 100, 200));
        assertThat(rates.seconds()).isEqualTo(2);
    }

    @Test
    void aPodThatHasToldNothingNewIsAsFastAsItWas() {
        JobTrafficAnswer before = report(0, 4, 100, pair("b", 80));
        JobRates known = JobRates.of(before, null, null);

        assertThat(JobRates.of(report(0, 4, 100, pair("b", 80)), before, known)).isEqualTo(known);
    }

    @Test
    void ofACounterThatIsLessThanBeforeNoRateIsMadeUp() {
        JobTrafficAnswer before = report(0, 4, 100, pair("b", 80));

        assertThat(JobRates.of(report(0, 6, 50, pair("b", 20)), before, null).pairs())
                .isEmpty();
    }
}
