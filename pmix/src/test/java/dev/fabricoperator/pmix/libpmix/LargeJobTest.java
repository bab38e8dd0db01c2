/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is left out where a job is so large that copies of it in each process would take too much. */
class LargeJobTest {
    /** Each has as many devices as there are switches, and all of them are on these. */
    private static List<JobPod> pods(int count, int ranks, int switches) {
        List<JobPod> pods = new ArrayList<>();
        for (int pod = 0; pod < count; pod++) {
            List<JobDevice> devices = new ArrayList<>();
            for (int at = 0; at < switches; at++) {
                devices.add(new JobDevice(
                        "id-" + pod + "-" + at,
                        "mlx5_" + at,
                        8,
                        List.of(),
                        pod * switches + at,
                        null,
                        "leaf-" + at,
                        new int[0],
                        new int[0],
                        10,
                        10,
                        null));
            }
            pods.add(new JobPod(
                    "job-" + pod, "host-" + pod, 0, pod * ranks, ranks, new byte[4], 1, "", List.copyOf(devices)));
        }
        return pods;
    }

    /** What one copy of all lists takes. */
    private static long bytesTold(List<JobPod> pods, SwitchPeers peers) {
        return pods.stream()
                .filter(peers::isTold)
                .mapToLong(pod -> pod.rankCount()
                        * pod.devices().stream()
                                .mapToLong(device ->
                                        String.valueOf(peers.ranks(device)).length())
                                .sum())
                .sum();
    }

    @Test
    void ranksOfASmallJobAreAllToldOfTheirPeers() {
        List<JobPod> pods = pods(8, 4, 2);
        SwitchPeers peers = new SwitchPeers(pods, 3);

        assertThat(pods).allMatch(peers::isTold);
        assertThat(peers.ranks(pods.getFirst().devices().getFirst()))
                .isEqualTo(String.join(
                        ",", IntStream.range(0, 32).mapToObj(Integer::toString).toList()));
    }

    @Test
    void ofAJobThatFillsALeafTheOwnRanksAlone() {
        List<JobPod> pods = pods(32, 128, 1);
        SwitchPeers peers = new SwitchPeers(pods, 3);

        assertThat(pods).filteredOn(peers::isTold).containsExactly(pods.get(3));
        assertThat(bytesTold(pods, peers)).isLessThanOrEqualTo(SwitchPeers.MOST_BYTES);
    }

    @Test
    void devicesOfAllPodsAreDescribedWhereThatIsNotTooMuchForEachProcess() {
        assertThat(FabricInfos.areAllDescribed(pods(64, 8, 8))).isTrue();
        assertThat(FabricInfos.areAllDescribed(pods(4096, 1, 8)))
                .as("each device takes more than nine values of 552 bytes")
                .isFalse();
    }

    @Test
    void nobodyWhereEvenTheseAreTooMany() {
        List<JobPod> pods = pods(16, 1024, 1);
        assertThat(pods).noneMatch(new SwitchPeers(pods, 3)::isTold);
    }
}
