/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.protocol.job.TrafficReport.Basis;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import dev.fabricoperator.protocol.job.TrafficReport.Pair;
import dev.fabricoperator.protocol.job.TrafficReport.Pod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TrafficReportTest {
    private static final long BYTES = 100_000_000;

    private static TrafficReport ofPod(int index, Pair... pairs) {
        Pod pod = new Pod(
                index,
                1_500,
                true,
                0,
                List.of(new DeviceTraffic("eth0", "net://02:00", Basis.INTERFACE, BYTES, 2 * BYTES)));
        return TrafficReport.of(pod, List.of(pairs));
    }

    private static TrafficReport ring() {
        return TrafficReport.sum(
                List.of(ofPod(1, new Pair(1, 0, BYTES, 3, 120)), ofPod(0, new Pair(0, 1, BYTES + 1, 0, 0))));
    }

    @Test
    void aReportComesBack() throws Exception {
        TrafficReport report = ring().named(List.of("ring-0", "ring-1"));

        assertThat(TrafficReportCodec.decode(TrafficReportCodec.encode(report), 2))
                .isEqualTo(report);
        assertThat(report.pods()).extracting(Pod::index).containsExactly(0, 1);
        assertThat(report.pairs()).extracting(Pair::from).containsExactly(0, 1);
    }

    @Test
    void ofManyPairsThoseWithTheMostBytesAreKeptAndTheOthersCounted() throws Exception {
        int pods = 60;
        List<TrafficReport> parts = new ArrayList<>();
        for (int from = 0; from < pods; from++) {
            Pair[] pairs = new Pair[pods - 1];
            for (int step = 1; step < pods; step++) {
                pairs[step - 1] = new Pair(from, (from + step) % pods, step, 0, 0);
            }
            parts.add(ofPod(from, pairs));
        }

        TrafficReport sum = TrafficReport.sum(
                List.of(TrafficReport.sum(parts.subList(0, 20)), TrafficReport.sum(parts.subList(20, pods))));

        int all = pods * (pods - 1);
        long bytes = (long) all * pods / 2;
        assertThat(sum.pairs()).hasSize(TrafficReport.MOST_PAIRS).allMatch(pair -> pair.bytes() >= 42);
        assertThat(sum.pairsLeftOut()).isEqualTo(all - TrafficReport.MOST_PAIRS);
        assertThat(sum.bytesLeftOut()
                        + sum.pairs().stream().mapToLong(Pair::bytes).sum())
                .isEqualTo(bytes);
        assertThat(TrafficReportCodec.decode(TrafficReportCodec.encode(sum), pods))
                .isEqualTo(sum);
    }

    private static TrafficReport large(int pods) {
        List<TrafficReport> parts = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int pod = 0; pod < pods; pod++) {
            names.add("a-job-of-many-pods-workers-0-" + pod + "-x2k4z");
            List<DeviceTraffic> devices = new ArrayList<>();
            for (int device = 0; device < 8; device++) {
                devices.add(new DeviceTraffic(
                        "mlx5_" + device,
                        "fab://9403:3f00:03a1:%04x:9403:3f00:03a1:%04x".formatted(pod, device),
                        Basis.RDMA_PORT,
                        BYTES * BYTES + pod + device,
                        BYTES * BYTES));
            }
            parts.add(TrafficReport.of(new Pod(pod, 1_000_000, true, 0, devices), List.of()));
        }
        return TrafficReport.sum(parts).named(names);
    }

    private static int devices(TrafficReport report) {
        return report.pods().stream().mapToInt(pod -> pod.devices().size()).sum();
    }

    @Test
    void whatIsTooLongForAMessageIsToldWithoutIdsAndThenWithoutTheDevicesWithTheFewestBytes() throws Exception {
        byte[] withoutIds = TrafficReportCodec.encode(large(5_000));
        assertThat(withoutIds).hasSizeLessThanOrEqualTo(TrafficReportCodec.LONGEST_BYTES);
        TrafficReport all = TrafficReportCodec.decode(withoutIds, 5_000);
        assertThat(devices(all)).isEqualTo(40_000);
        assertThat(all.devicesLeftOut()).isZero();
        assertThat(all.pods().getFirst().devices())
                .allMatch(each -> each.deviceId().isEmpty());

        byte[] cut = TrafficReportCodec.encode(large(16_000));
        assertThat(cut)
                .hasSizeLessThanOrEqualTo(TrafficReportCodec.LONGEST_BYTES)
                .hasSizeGreaterThan(TrafficReportCodec.LONGEST_BYTES * 9 / 10);
        TrafficReport most = TrafficReportCodec.decode(cut, 16_000);
        assertThat(most.devicesLeftOut()).isPositive();
        assertThat(devices(most) + most.devicesLeftOut()).isEqualTo(128_000);
        assertThat(most.pods()).hasSize(16_000);
        assertThat(most.pods().getLast().devices()).hasSize(8);
        assertThat(most.pods().getFirst().devices()).isEmpty();
        assertThat(TrafficReport.sum(List.of(most)).devicesLeftOut()).isEqualTo(most.devicesLeftOut());
    }

    @Test
    void aPodThatIsInTwoReportsCountsOnce() {
        TrafficReport sum =
                TrafficReport.sum(List.of(ofPod(0, new Pair(0, 1, 5, 0, 0)), ofPod(0, new Pair(0, 1, 7, 0, 0))));

        assertThat(sum.pods()).hasSize(1);
        assertThat(sum.pairs()).containsExactly(new Pair(0, 1, 5, 0, 0));
    }

    @Test
    void sumsOfCountsThatAreTooLargeStayPositive() {
        assertThat(TrafficReport.plus(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsCutOrLongerOrOfOtherPodsIsRefused() {
        byte[] bytes = TrafficReportCodec.encode(ring().named(List.of("ring-0", "ring-1")));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> TrafficReportCodec.decode(cut, 2)).isInstanceOf(JobCodecException.class);
        }
        assertThatThrownBy(() -> TrafficReportCodec.decode(Arrays.copyOf(bytes, bytes.length + 1), 2))
                .isInstanceOf(JobCodecException.class);
        assertThatThrownBy(() -> TrafficReportCodec.decode(bytes, 1)).hasMessageContaining("names of a job of 1 pods");
        byte[] nameless = TrafficReportCodec.encode(ring());
        assertThatThrownBy(() -> TrafficReportCodec.decode(nameless, 1))
                .hasMessageContaining("a pod is 1, more than 0");
        byte[] twice = TrafficReportCodec.encode(ofPod(0, new Pair(0, 1, 1, 0, 0), new Pair(0, 1, 2, 0, 0)));
        assertThatThrownBy(() -> TrafficReportCodec.decode(twice, 2)).hasMessageContaining("twice one");
    }

    @Test
    void bytesOfAnybodyGiveAReportOrASentence() {
        Random random = new Random(5);
        byte[] good = TrafficReportCodec.encode(ring());
        for (int round = 0; round < 20_000; round++) {
            byte[] bad = good.clone();
            for (int changes = random.nextInt(4) + 1; changes > 0; changes--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                TrafficReport read = TrafficReportCodec.decode(bad, 2);
                assertThat(read.pods()).hasSizeLessThanOrEqualTo(2);
            } catch (JobCodecException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }
}
