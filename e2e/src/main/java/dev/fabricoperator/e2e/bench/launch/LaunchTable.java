/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * What was measured: medians, and the differences to the floor of the same round with their confidence. Rounds in which one of both failed
 * for good are not paired. CPU seconds are the machine's without those of an idle cluster in the same time, which a longer launch has more of.
 */
final class LaunchTable {
    private static final int RESAMPLES = 2_000;

    private record Row(Size size, String launcher, int round, Launch launch) {}

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Integer> failures = new LinkedHashMap<>();
    private final Map<Size, Double> idle = new HashMap<>();

    void add(Size size, String launcher, int round, Launch launch) {
        rows.add(new Row(size, launcher, round, launch));
    }

    /** @param cpuSecondsPerSecond what the machine takes while the cluster has nothing to do, at the time of these launches */
    void idle(Size size, double cpuSecondsPerSecond) {
        idle.put(size, cpuSecondsPerSecond);
    }

    private double ownCpuSeconds(Size size, Launch launch) {
        return launch.cpuSeconds() - idle.getOrDefault(size, 0.0) * launch.seen();
    }

    void failed(Size size, String launcher) {
        failures.merge(size + " " + launcher, 1, Integer::sum);
    }

    void print(PrintStream out, List<Size> sizes, List<String> launchers) {
        out.printf(
                "%-12s %-20s %6s %22s %22s %12s %12s %22s %10s%n",
                "size",
                "way",
                "rounds",
                "up s, median (range)",
                "up - floor (95 %)",
                "allreduce s",
                "finished s",
                "cpu s above floor, pod",
                "failed");
        for (Size size : sizes) {
            for (String launcher : launchers) {
                printRow(out, size, launcher);
            }
        }
    }

    private void printRow(PrintStream out, Size size, String launcher) {
        List<Launch> launches = of(size, launcher);
        if (launches.isEmpty()) {
            out.printf("%-12s %-20s %6d%n", size, launcher, 0);
            return;
        }
        List<Double> up = launches.stream().map(Launch::up).toList();
        List<Double> reduced = launches.stream()
                .map(launch -> launch.reduced() == null ? Double.NaN : launch.reduced())
                .toList();
        int failed = launches.stream().mapToInt(Launch::failedAttempts).sum()
                + failures.getOrDefault(size + " " + launcher, 0);
        out.printf(
                Locale.ROOT,
                "%-12s %-20s %6d %22s %22s %12s %12.2f %22s %10d%n",
                size,
                launcher,
                launches.size(),
                String.format(
                        Locale.ROOT,
                        "%.2f (%.2f..%.2f)",
                        Launch.median(up),
                        up.stream().min(Double::compare).orElseThrow(),
                        up.stream().max(Double::compare).orElseThrow()),
                aboveFloor(size, launcher, Launch::up, 1),
                reduced.stream().anyMatch(value -> value.isNaN())
                        ? "-"
                        : String.format(Locale.ROOT, "%.2f", Launch.median(reduced)),
                Launch.median(launches.stream().map(Launch::seen).toList()),
                aboveFloor(size, launcher, launch -> ownCpuSeconds(size, launch), size.pods()),
                failed);
    }

    private List<Launch> of(Size size, String launcher) {
        return rows.stream()
                .filter(row -> row.size().equals(size) && row.launcher().equals(launcher))
                .map(Row::launch)
                .toList();
    }

    /** Median of the paired differences, each divided by the number of pods, with a bootstrap interval. */
    private String aboveFloor(Size size, String launcher, ToDoubleFunction<Launch> figure, int divisor) {
        if (launcher.equals("floor")) {
            return "";
        }
        Map<Integer, Launch> floor = byRound(size, "floor");
        List<Double> differences = new ArrayList<>();
        byRound(size, launcher).forEach((round, launch) -> {
            Launch bare = floor.get(round);
            if (bare != null) {
                differences.add((figure.applyAsDouble(launch) - figure.applyAsDouble(bare)) / divisor);
            }
        });
        if (differences.isEmpty()) {
            return "";
        }
        Random random = new Random(1);
        List<Double> medians = new ArrayList<>();
        for (int i = 0; i < RESAMPLES; i++) {
            medians.add(Launch.median(random.ints(differences.size(), 0, differences.size())
                    .mapToObj(differences::get)
                    .toList()));
        }
        medians.sort(Double::compare);
        return String.format(
                Locale.ROOT,
                "%.2f (%.2f..%.2f)",
                Launch.median(differences),
                medians.get(RESAMPLES / 40),
                medians.get(RESAMPLES - RESAMPLES / 40));
    }

    private Map<Integer, Launch> byRound(Size size, String launcher) {
        Map<Integer, Launch> launches = new LinkedHashMap<>();
        rows.stream()
                .filter(row -> row.size().equals(size) && row.launcher().equals(launcher))
                .forEach(row -> launches.put(row.round(), row.launch()));
        return launches;
    }

    void write(Path csv) {
        List<String> lines = new ArrayList<>();
        lines.add("pods,ranks_per_pod,way,round,up_s,allreduce_s,finished_s,own_cpu_s,failed_attempts");
        for (Row row : rows) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d,%d,%s,%d,%.4f,%s,%.4f,%.2f,%d",
                    row.size().pods(),
                    row.size().ranksPerPod(),
                    row.launcher(),
                    row.round(),
                    row.launch().up(),
                    row.launch().reduced() == null
                            ? ""
                            : String.format(Locale.ROOT, "%.4f", row.launch().reduced()),
                    row.launch().seen(),
                    ownCpuSeconds(row.size(), row.launch()),
                    row.launch().failedAttempts()));
        }
        try {
            Files.createDirectories(csv.toAbsolutePath().getParent());
            Files.write(csv, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + csv, e);
        }
    }
}
