/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** From the job's first pod to the last: news of the fabric, at several sizes of jobs with one device in each pod. {@code [ROUNDS]}. */
final class FabricUpdateReport {
    private static final int MOST_DEVICES_WITH_COSTS = 512;

    private FabricUpdateReport() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50;
        System.out.printf(
                Locale.ROOT, "%6s %6s %-8s %10s %10s %10s%n", "pods", "ranks", "news", "bytes", "p50/ms", "max/ms");
        report(64, 16, rounds);
        report(256, 4, rounds);
        report(1024, 1, rounds);
    }

    private static void report(int pods, int ranksPerPod, int rounds) throws IOException, InterruptedException {
        try (SimulatedPods job =
                new SimulatedPods(pods, ranksPerPod, Runtime.getRuntime().availableProcessors())) {
            // Pods connect and agree on keys.
            job.fence(0);
            JobMap map = located(job.map());
            print(job, pods, ranksPerPod, rounds, "pending", new JobFabricUpdate.Pending());
            print(job, pods, ranksPerPod, rounds, "updated", new JobFabricUpdate.Updated(map, JobMapCodec.encode(map)));
        }
    }

    private static void print(
            SimulatedPods job, int pods, int ranksPerPod, int rounds, String name, JobFabricUpdate news)
            throws InterruptedException {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            nanos[i] = job.tell(news);
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%6d %6d %-8s %10d %10.1f %10.1f%n",
                pods,
                pods * ranksPerPod,
                name,
                news.encoded().length,
                nanos[rounds / 2] / 1e6,
                nanos[rounds - 1] / 1e6);
    }

    /** Each pod with a device, 32 on a leaf. */
    @SuppressWarnings("NullAway") // a class file does not say that an array component of a record may be null
    private static JobMap located(JobMap map) {
        List<JobPod> pods = new ArrayList<>();
        List<String> leaves = new ArrayList<>();
        for (JobPod pod : map.pods()) {
            int index = pods.size();
            String leaf = String.format(Locale.ROOT, "%016x", 0xa000_0000_0000_0000L + index / 32);
            if (index % 32 == 0) {
                leaves.add(leaf);
            }
            String guid = String.format(Locale.ROOT, "%016x", 0x506b_4b03_0000_0000L + index);
            JobDevice device = new JobDevice(
                    "fab://" + guid + "::" + guid,
                    "mlx5_0",
                    8,
                    List.of(),
                    index,
                    "0",
                    leaf,
                    new int[] {index / 32, index % 32},
                    new int[] {index / 32, 1 + index % 32},
                    10,
                    10,
                    null);
            pods.add(new JobPod(
                    pod.name(),
                    pod.host(),
                    0,
                    pod.firstRank(),
                    pod.rankCount(),
                    pod.address(),
                    pod.port(),
                    "",
                    List.of(device)));
        }
        int devices = pods.size();
        short[] costs = devices > MOST_DEVICES_WITH_COSTS ? null : new short[devices * devices];
        for (int at = 0; costs != null && at < costs.length; at++) {
            int from = at / devices;
            int to = at % devices;
            costs[at] = (short) (from == to ? 0 : from / 32 == to / 32 ? 200 : 400);
        }
        JobFabric fabric = new JobFabric(
                "ib",
                "Mellanox",
                "ib",
                0,
                2,
                List.of(new JobFabric.Plane("0", 2, new int[] {leaves.size(), 32}, leaves.size() + "x32")),
                leaves,
                "",
                devices,
                costs,
                Map.of());
        return new JobMap(map.nspace(), map.attempt(), map.key(), map.apps(), pods, fabric);
    }
}
