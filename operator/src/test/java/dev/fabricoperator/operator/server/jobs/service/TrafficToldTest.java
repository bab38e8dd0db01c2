/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReport.Basis;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import dev.fabricoperator.protocol.job.TrafficReport.Pair;
import dev.fabricoperator.protocol.job.TrafficReport.Pod;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class TrafficToldTest {
    private static final DirectJob JOB = new DirectJob(
            "space",
            new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"),
            List.of(new DirectJob.App("ring", 1, 3, 1)),
            Duration.ofMinutes(10),
            RankOrder.topology,
            null);
    private static final String NOW = "2026-01-01T00:00:00Z";

    private final TrafficTold told = new TrafficTold(
            (job, name) -> name.equals("gone") ? null : pod(name), Clock.fixed(Instant.parse(NOW), ZoneOffset.UTC));

    /** The ordinal follows from the name: 0 for {@code a}. */
    private static JobPodId pod(String name) {
        return new JobPodId(name.charAt(0) - 'a', name, "of-" + name, Instant.EPOCH, "node-of-" + name);
    }

    private static byte[] report(List<String> names) {
        TrafficReport sum = TrafficReport.sum(List.of(
                TrafficReport.of(
                        new Pod(
                                0,
                                1_500,
                                true,
                                0,
                                List.of(
                                        new DeviceTraffic("eth0", "", Basis.INTERFACE, 100, 50),
                                        new DeviceTraffic("mlx5_0", "fab://1", Basis.RDMA_PORT, Long.MAX_VALUE, 7))),
                        List.of(new Pair(0, 1, 90, 2, 30), new Pair(0, 2, 80, 1, 0))),
                TrafficReport.of(new Pod(1, 700, false, 3, List.of()), List.of())));
        return TrafficReportCodec.encode(sum.named(names));
    }

    private JobTrafficAnswer read(List<String> names) throws JobRefusedException {
        return told.read(JOB, "ring-job", pod("a"), 4, report(names));
    }

    @Test
    void podsAreToldByNameAndNodeAndSumsStayPositive() throws Exception {
        JobTrafficAnswer answer = read(List.of("a", "b", "c"));

        assertThat(answer.job()).isEqualTo("ring-job");
        assertThat(answer.attempt()).isEqualTo(4);
        assertThat(answer.asOf()).isEqualTo(NOW);
        assertThat(answer.seconds()).isEqualTo(1.5);
        assertThat(answer.sentBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(answer.receivedBytes()).isEqualTo(57);
        assertThat(answer.retransmits()).isEqualTo(3);
        assertThat(answer.podsSilent()).isEqualTo(1);
        assertThat(answer.pods()).extracting(JobTrafficAnswer.Pod::node).containsExactly("node-of-a", "node-of-b");
        assertThat(answer.pods().getFirst().devices())
                .containsExactly(
                        new JobTrafficAnswer.Device("eth0", null, 100, 50, "interface"),
                        new JobTrafficAnswer.Device("mlx5_0", "fab://1", Long.MAX_VALUE, 7, "rdma-port"));
        assertThat(answer.pairs())
                .containsExactly(
                        new JobTrafficAnswer.Pair("a", "b", 90, 2, 30L),
                        new JobTrafficAnswer.Pair("a", "c", 80, 1, null));
    }

    @Test
    void aPodThatIsNoneOfTheJobsIsLeftOutWithItsPairs() throws Exception {
        JobTrafficAnswer answer = read(List.of("a", "gone", "c"));

        assertThat(answer.pods()).hasSize(1);
        assertThat(answer.pairs()).containsExactly(new JobTrafficAnswer.Pair("a", "c", 80, 1, null));
        assertThat(answer.pairsLeftOut()).isEqualTo(1);
        assertThat(answer.bytesLeftOut()).isEqualTo(90);
    }

    @Test
    void ranksAreNumberedOnePodAfterTheOtherInTheOrderOfTheMap() throws Exception {
        assertThat(read(List.of("a", "gone", "c")).pods())
                .extracting(JobTrafficAnswer.Pod::ranks)
                .containsExactly("0");
        assertThat(read(List.of("a", "b", "c")).pods())
                .extracting(JobTrafficAnswer.Pod::ranks)
                .containsExactly("0", "1");
        DirectJob ofTwoApps = new DirectJob(
                "space",
                new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"),
                List.of(new DirectJob.App("one", 1, 1, 4), new DirectJob.App("other", 1, 2, 2)),
                Duration.ofMinutes(10),
                RankOrder.topology,
                null);
        assertThat(told.read(ofTwoApps, "ring-job", pod("a"), 4, report(List.of("a", "b", "c")))
                        .pods())
                .extracting(JobTrafficAnswer.Pod::ranks)
                .containsExactly("0-3", "4-5");
        assertThat(told.read(ofTwoApps, "ring-job", pod("a"), 4, report(List.of("a", "gone", "c")))
                        .pods())
                .extracting(JobTrafficAnswer.Pod::ranks)
                .containsExactly("0-3");
    }

    @Test
    void aReportOfAnotherJobsPodsOrOfNoJobIsRefused() {
        refused(409, "is not the first one", () -> read(List.of("b", "a", "c")));
        refused(409, "a pod twice", () -> read(List.of("a", "b", "b")));
        refused(400, "names of a job of 3 pods", () -> read(List.of("a", "b")));
        refused(
                400,
                "no report of traffic",
                () -> told.read(JOB, "ring", pod("a"), 0, "nonsense".getBytes(StandardCharsets.UTF_8)));
    }

    private static void refused(int status, String sentence, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(JobRefusedException.class, e -> {
            assertThat(e.answer().status()).isEqualTo(status);
            assertThat(new String(e.answer().body(), StandardCharsets.UTF_8)).contains(sentence);
        });
    }
}
