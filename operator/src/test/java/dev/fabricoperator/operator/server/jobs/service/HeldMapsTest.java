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
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.PodReportCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Maps that are told of a job of two pods with two ranks each; what becomes of one that is believed: JobMapsTest, JobServiceTest. */
class HeldMapsTest {
    private static final DirectJob JOB = new DirectJob(
            "space",
            new OwnerRef("batch/v1", "Job", "ring", "01234567-89ab"),
            List.of(new DirectJob.App("ring", 1, 2, 2)),
            Duration.ofMinutes(10),
            RankOrder.topology,
            null);
    private static final String NSPACE = "space.ring-01234567-0";

    private final HeldMaps held =
            new HeldMaps(SshHostsTest.NO_FABRICS, new JobMaps(SshHostsTest.NO_FABRICS), (job, name) -> pod(name));

    private static @Nullable JobPodId pod(String name) {
        return name.matches("ring-[01]")
                ? new JobPodId(
                        Integer.parseInt(name.substring(5)), name, "uid-" + name, Instant.EPOCH, "node-of-" + name)
                : null;
    }

    private static JobMap map(String nspace, int attempt, @Nullable String fabric, int ranks, String... pods) {
        List<JobPod> all = new ArrayList<>();
        for (String pod : pods) {
            all.add(pod(pod, all.size() * ranks, ranks, List.of()));
        }
        return new JobMap(
                nspace,
                attempt,
                new byte[32],
                List.of(new JobApp(0, "ring", pods.length * ranks)),
                all,
                fabric == null
                        ? null
                        : new JobFabric(fabric, null, "", 0, 1, List.of(), List.of(), "", 0, new short[0], Map.of()));
    }

    private static JobPod pod(String name, int firstRank, int ranks, List<JobDevice> devices) {
        return new JobPod(name, "", 0, firstRank, ranks, new byte[4], 7471, "", devices);
    }

    private void assertRefused(byte[] body, String sentence) {
        JobPodId first = Objects.requireNonNull(pod("ring-1"));
        assertThatThrownBy(() -> held.learn(JOB, first, 0, body))
                .isInstanceOfSatisfying(
                        JobRefusedException.class,
                        refused -> assertThat(new String(refused.answer().body(), StandardCharsets.UTF_8))
                                .contains(sentence));
    }

    private void assertRefused(JobMap map, String sentence) {
        assertRefused(JobMapCodec.encode(map), sentence);
    }

    @Test
    void aMapThatIsNoneOrTooLongIsRefusedBeforeItIsRead() {
        assertRefused(new byte[100], "no job map");
        byte[] promise = JobMapCodec.encode(map(NSPACE, 0, "ib", 2, "ring-1", "ring-0"));
        // Its payload's length, of which two pods may have 128 KiB.
        promise[4] = (byte) 0xff;
        promise[5] = (byte) 0xff;
        promise[6] = (byte) 0x7f;
        assertRefused(promise, "more than 131072");
    }

    @Test
    void aMapOfAnotherJobOrAttemptOrFirstPodOrWithoutAFabricIsRefused() {
        assertRefused(map(NSPACE, 1, "ib", 2, "ring-1", "ring-0"), "another attempt or job");
        assertRefused(map("space.other-01234567-0", 0, "ib", 2, "ring-1", "ring-0"), "another attempt or job");
        assertRefused(map(NSPACE, 0, "ib", 2, "ring-0", "ring-1"), "another pod than ring-1 is its first one");
        assertRefused(map(NSPACE, 0, "ib", 2), "another pod than ring-1 is its first one");
        assertRefused(map(NSPACE, 0, null, 2, "ring-1", "ring-0"), "no fabric");
    }

    @Test
    void aMapMustHaveEachPodOfTheJobOnceWithItsRanks() {
        assertRefused(map(NSPACE, 0, "ib", 2, "ring-1", "other-0"), "none of the job's");
        assertRefused(map(NSPACE, 0, "ib", 2, "ring-1", "ring-1"), "there twice");
        assertRefused(map(NSPACE, 0, "ib", 2, "ring-1"), "1 of 2 pods");
        assertRefused(map(NSPACE, 0, "ib", 3, "ring-1", "ring-0"), "other ranks");
    }

    @Test
    void aPodHasNoMoreDevicesThanItCanReport() {
        JobDevice device = new JobDevice("a", "a", 8, List.of(), -1, null, null, new int[0], new int[0], 10, 10, null);
        List<JobPod> pods = List.of(
                pod("ring-1", 0, 2, Collections.nCopies(PodReportCodec.MOST_DEVICES + 1, device)),
                pod("ring-0", 2, 2, List.of()));
        JobMap map = map(NSPACE, 0, "ib", 2, "ring-1", "ring-0");
        assertRefused(
                new JobMap(NSPACE, 0, map.key(), map.apps(), pods, map.fabric()), "ring-1 has other ranks, or more");
    }

    @Test
    void whoHasNoDeviceInAFabricIsNotToldThatItChanges() {
        assertRefused(map(NSPACE, 0, "ib", 2, "ring-1", "ring-0"), "none of its devices");
    }
}
