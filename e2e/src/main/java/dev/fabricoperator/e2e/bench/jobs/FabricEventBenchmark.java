/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.e2e.job.FabricEventJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.LiveSubnet;
import dev.fabricoperator.e2e.node.NodeFabrics;
import dev.fabricoperator.e2e.node.NodePrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * From a cable pulled in ibsim to the handlers of running ranks, on three real nodes: arguments ROUNDS INTERVAL (seconds between two sweeps) and ranks of a pod at
 * several sizes. All clocks are this machine's. Each round takes the cable of another card out, so that none counts as flapping.
 */
public final class FabricEventBenchmark {
    private static final int NODES = 3;
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private FabricEventBenchmark() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = Math.min(Integer.parseInt(arguments[0]), NODES * NodeFabrics.CARDS);
        Duration interval = Duration.ofMillis((long) (Double.parseDouble(arguments[1]) * 1000));
        Path work = Files.createTempDirectory("fabric-operator-events-");
        Path archive = ProofImages.write(work, NodePrograms.find());
        System.out.println("milliseconds after the cable was pulled; a sweep every " + interval);
        System.out.printf(
                "%6s %6s %10s %14s %14s %14s %14s%n",
                "ranks", "round", "written", "first pending", "first updated", "median", "last updated");
        try (LaunchCluster launch = LaunchCluster.start(
                NODES, List.of(archive), text -> System.err.printf(Locale.ROOT, "%s %s%n", Instant.now(), text))) {
            for (String ranksPerPod : Arrays.asList(arguments).subList(2, arguments.length)) {
                run(launch, Integer.parseInt(ranksPerPod), rounds, interval);
            }
        }
    }

    private static void run(LaunchCluster launch, int ranksPerPod, int rounds, Duration interval)
            throws IOException, InterruptedException {
        int ranks = NODES * ranksPerPod;
        List<double[]> all = new ArrayList<>();
        try (LiveSubnet subnet = new LiveSubnet(launch.cluster(), interval)) {
            FabricEventJob job = new FabricEventJob(launch.cluster(), ranksPerPod, rounds, LIMIT);
            job.awaitReady();
            System.err.println(Instant.now() + " " + ranks + " ranks have handlers");
            for (int round = 0; round < rounds; round++) {
                Instant pulled =
                        subnet.pull(launch.cluster().nodes().get(round % NODES).name(), round / NODES);
                List<FabricEventJob.Told> told = job.awaitUpdates(round + 1).stream()
                        .filter(each -> each.when().isAfter(pulled))
                        .toList();
                double[] updated = sorted(told, pulled, true);
                double[] pending = sorted(told, pulled, false);
                double[] row = {
                    milliseconds(pulled, subnet.lastWritten()),
                    pending[0],
                    updated[0],
                    updated[updated.length / 2],
                    updated[updated.length - 1]
                };
                all.add(row);
                print(ranks, Integer.toString(round + 1), row);
                // A job is told new values at most once in a second.
                Thread.sleep(2000);
            }
            print(ranks, "median", medians(all));
            if (job.await() != 0) {
                throw new IllegalStateException("the ranks did not end well");
            }
        }
    }

    private static double[] sorted(List<FabricEventJob.Told> told, Instant from, boolean updates) {
        return told.stream()
                .filter(each -> each.isUpdate() == updates)
                .mapToDouble(each -> milliseconds(from, each.when()))
                .sorted()
                .toArray();
    }

    private static double[] medians(List<double[]> rows) {
        double[] medians = new double[rows.getFirst().length];
        for (int i = 0; i < medians.length; i++) {
            int column = i;
            double[] values =
                    rows.stream().mapToDouble(row -> row[column]).sorted().toArray();
            medians[i] = values[values.length / 2];
        }
        return medians;
    }

    private static double milliseconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e6;
    }

    private static void print(int ranks, String round, double[] row) {
        System.out.printf(
                Locale.ROOT,
                "%6d %6s %10.0f %14.0f %14.0f %14.0f %14.0f%n",
                ranks,
                round,
                row[0],
                row[1],
                row[2],
                row[3],
                row[4]);
    }
}
