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
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * What was measured: medians, and the differences to the floor of the same round with their confidence. Rounds in which one of both failed
 * for good are not paired. A first launch has failed where an attempt did before one succeeded, or all did. CPU seconds are the machine's
 * without those of an idle cluster in the same time, which a longer launch has more of.
 */
final class LaunchTable {
    private static final int RESAMPLES = 2_000;
    private static final double LEAST_SHOWN_SECONDS = 0.002;
    private static final String ROW = "%-12s %-20s %6s %24s %26s %12s %12s %28s %32s %12s %7s %9s%n";

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
                ROW,
                "size",
                "way",
                "rounds",
                "up s, median p90 (range)",
                "up - floor, p90 (95 %)",
                "allreduce s",
                "finished s",
                "finished - floor, p90 (95 %)",
                "cpu s a pod - floor, p90 (95 %)",
                "first failed",
                "failed",
                "warnings");
        for (Size size : sizes) {
            for (String launcher : launchers) {
                printRow(out, size, launcher);
            }
        }
    }

    private void printRow(PrintStream out, Size size, String launcher) {
        List<Launch> launches = of(size, launcher);
        if (launches.isEmpty()) {
            out.printf(
                    "%-12s %-20s %6d, %d failed for good%n",
                    size, launcher, 0, failures.getOrDefault(size + " " + launcher, 0));
            return;
        }
        List<Double> up = launches.stream().map(Launch::up).toList();
        List<Double> reduced = launches.stream()
                .map(launch -> launch.reduced() == null ? Double.NaN : launch.reduced())
                .toList();
        int forGood = failures.getOrDefault(size + " " + launcher, 0);
        int failed = launches.stream().mapToInt(Launch::failedAttempts).sum() + forGood;
        long firstFailed =
                launches.stream().filter(launch -> launch.failedAttempts() > 0).count() + forGood;
        out.printf(
                Locale.ROOT,
                ROW,
                size,
                launcher,
                launches.size(),
                String.format(
                        Locale.ROOT,
                        "%.2f %.2f (%.2f..%.2f)",
                        Launch.median(up),
                        Launch.ninetiethPercentile(up),
                        up.stream().min(Double::compare).orElseThrow(),
                        up.stream().max(Double::compare).orElseThrow()),
                aboveFloor(size, launcher, Launch::up, 1),
                reduced.stream().anyMatch(value -> value.isNaN())
                        ? "-"
                        : String.format(Locale.ROOT, "%.2f", Launch.median(reduced)),
                String.format(
                        Locale.ROOT,
                        "%.2f",
                        Launch.median(launches.stream().map(Launch::seen).toList())),
                aboveFloor(size, launcher, Launch::seen, 1),
                aboveFloor(size, launcher, launch -> ownCpuSeconds(size, launch), size.pods()),
                firstFailed + " of " + (launches.size() + forGood),
                failed,
                launches.stream().mapToInt(launch -> launch.warnings().size()).sum());
    }

    /** Where the CPU seconds of a pod go: medians by program, those of the floor beside them. */
    void printPrograms(PrintStream out, Size size, List<String> launchers) {
        Map<String, Map<String, Double>> medians = new TreeMap<>();
        for (String launcher : launchers) {
            List<Launch> launches = of(size, launcher);
            launches.stream()
                    .flatMap(launch -> launch.byProgram().keySet().stream())
                    .distinct()
                    .forEach(program -> medians.computeIfAbsent(program, key -> new HashMap<>())
                            .put(
                                    launcher,
                                    Launch.median(launches.stream()
                                                    .map(launch ->
                                                            launch.byProgram().getOrDefault(program, 0.0))
                                                    .toList())
                                            / size.pods()));
        }
        out.printf("%n%s, CPU ms a pod by program%n%-24s", size, "");
        launchers.forEach(launcher -> out.printf(" %20s", launcher));
        out.println();
        medians.entrySet().stream()
                .filter(row -> row.getValue().values().stream().anyMatch(seconds -> seconds >= LEAST_SHOWN_SECONDS))
                .forEach(row -> {
                    out.printf("%-24s", row.getKey());
                    launchers.forEach(launcher ->
                            out.printf(" %20.0f", 1000 * row.getValue().getOrDefault(launcher, 0.0)));
                    out.println();
                });
    }

    private List<Launch> of(Size size, String launcher) {
        return rows.stream()
                .filter(row -> row.size().equals(size) && row.launcher().equals(launcher))
                .map(Row::launch)
                .toList();
    }

    /** Median and 90th percentile of the paired differences, each divided by the number of pods, with a bootstrap interval of the median. */
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
                "%.2f, %.2f (%.2f..%.2f)",
                Launch.median(differences),
                Launch.ninetiethPercentile(differences),
                medians.get(RESAMPLES / 40),
                medians.get(RESAMPLES - RESAMPLES / 40));
    }

    /** How many times as long one way takes as another: of medians over rounds in which both have launched, resampled by rounds. */
    void printRatio(PrintStream out, Size size, String one, String other) {
        printRatio(out, size, one, other, "up", Launch::up);
        printRatio(out, size, one, other, "finished", Launch::seen);
    }

    private void printRatio(
            PrintStream out, Size size, String one, String other, String what, ToDoubleFunction<Launch> figure) {
        Map<Integer, Launch> others = byRound(size, other);
        List<double[]> rounds = new ArrayList<>();
        byRound(size, one).forEach((round, launch) -> {
            Launch beside = others.get(round);
            if (beside != null) {
                rounds.add(new double[] {figure.applyAsDouble(launch), figure.applyAsDouble(beside)});
            }
        });
        if (rounds.isEmpty()) {
            return;
        }
        Random random = new Random(1);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < RESAMPLES; i++) {
            ratios.add(ratio(random.ints(rounds.size(), 0, rounds.size())
                    .mapToObj(rounds::get)
                    .toList()));
        }
        ratios.sort(Double::compare);
        out.printf(
                Locale.ROOT,
                "%s %s, %s to %s: %.3f (95 %% %.3f..%.3f), %d rounds%n",
                size,
                what,
                one,
                other,
                ratio(rounds),
                ratios.get(RESAMPLES / 40),
                ratios.get(RESAMPLES - RESAMPLES / 40),
                rounds.size());
    }

    private static double ratio(List<double[]> rounds) {
        return Launch.median(rounds.stream().map(round -> round[0]).toList())
                / Launch.median(rounds.stream().map(round -> round[1]).toList());
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
        lines.add("pods,ranks_per_pod,way,round,up_s,allreduce_s,finished_s,own_cpu_s,failed_attempts,warnings");
        for (Row row : rows) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d,%d,%s,%d,%.4f,%s,%.4f,%.2f,%d,%d",
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
                    row.launch().failedAttempts(),
                    row.launch().warnings().size()));
        }
        try {
            Files.createDirectories(csv.toAbsolutePath().getParent());
            Files.write(csv, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + csv, e);
        }
    }
}
