/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.RealCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * Real programs over two pods on two nodes, by direct launch and by the MPI Operator, in turns of which each way begins every other one: what the launch leaves to the
 * program (how its ranks reach one another, how they wait) shows in the program's own time.
 *
 * <p>Arguments: CSV file; root file system with the programs; rounds; programs.
 */
public final class ProgramBenchmark {
    private static final Size SIZE = new Size(2, 1);
    private static final int RESAMPLES = 10_000;

    private ProgramBenchmark() {}

    /** @param wholeSeconds from just before {@code kubectl apply} until the job was seen finished
     * @param ownSeconds from the last rank's beginning to the last rank's end */
    private record Run(double wholeSeconds, double ownSeconds) {
        static Run of(Launch launch) {
            return new Run(launch.seen(), Objects.requireNonNull(launch.reduced()) - launch.up());
        }
    }

    private record Round(Run direct, Run byMpiOperator) {}

    public static void main(String[] arguments) throws InterruptedException, IOException {
        Path csv = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[2]);
        Files.createDirectories(csv.toAbsolutePath().getParent());
        List<String> rows = new ArrayList<>(List.of("program,round,way,own_s,whole_s"));
        long start = System.nanoTime();
        try (LaunchCluster launch = LaunchCluster.start(
                2, List.of(), text -> System.err.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            RealCluster cluster = launch.cluster();
            Path work = cluster.directory().resolve("launch");
            cluster.importImages(ProofImages.writePrograms(work, Path.of(arguments[1])));
            DirectJob.optIn(cluster.admin(), JobLauncher.NAMESPACE);
            MpiOperator.start(cluster);
            for (String program : List.of(arguments).subList(3, arguments.length)) {
                ProgramJob direct = new ProgramJob(cluster, work, ProgramJob.Kind.Direct, program);
                ProgramJob byMpiOperator = new ProgramJob(cluster, work, ProgramJob.Kind.MpiOperator, program);
                List<Round> measured = new ArrayList<>();
                // The first round finds everything cold and does not count.
                for (int round = 0; round <= rounds; round++) {
                    boolean directFirst = round % 2 == 0;
                    Run first = run(directFirst ? direct : byMpiOperator, program, round);
                    Run second = run(directFirst ? byMpiOperator : direct, program, round);
                    Round both = directFirst ? new Round(first, second) : new Round(second, first);
                    System.err.printf(
                            Locale.ROOT,
                            "%s round %d: direct %.2f s of %.2f, mpirun %.2f s of %.2f%n",
                            program,
                            round,
                            both.direct().ownSeconds(),
                            both.direct().wholeSeconds(),
                            both.byMpiOperator().ownSeconds(),
                            both.byMpiOperator().wholeSeconds());
                    if (round > 0) {
                        measured.add(both);
                        rows.add(row(program, round, direct, both.direct()));
                        rows.add(row(program, round, byMpiOperator, both.byMpiOperator()));
                        Files.write(csv, rows);
                    }
                }
                print(program, "own", measured, Run::ownSeconds);
                print(program, "whole", measured, Run::wholeSeconds);
            }
        }
        System.out.println(csv);
    }

    private static Run run(ProgramJob job, String program, int round) throws InterruptedException {
        Launch launch = job.launch(program + "-" + job.name() + "-" + round, SIZE);
        launch.warnings().forEach(System.err::println);
        return Run.of(launch);
    }

    private static String row(String program, int round, ProgramJob job, Run run) {
        return String.format(
                Locale.ROOT, "%s,%d,%s,%.4f,%.4f", program, round, job.name(), run.ownSeconds(), run.wholeSeconds());
    }

    /** Resampled by rounds: what disturbs one run of a round may disturb the other. */
    private static void print(String program, String what, List<Round> rounds, ToDoubleFunction<Run> seconds) {
        Random random = new Random(1);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < RESAMPLES; i++) {
            ratios.add(ratio(
                    random.ints(rounds.size(), 0, rounds.size())
                            .mapToObj(rounds::get)
                            .toList(),
                    seconds));
        }
        ratios.sort(Double::compare);
        System.out.printf(
                Locale.ROOT,
                "%-8s %-6s direct %7.2f s, mpirun %7.2f s: %.3f (95 %% %.3f..%.3f), %d rounds%n",
                program,
                what,
                median(rounds, round -> seconds.applyAsDouble(round.direct())),
                median(rounds, round -> seconds.applyAsDouble(round.byMpiOperator())),
                ratio(rounds, seconds),
                ratios.get(RESAMPLES / 40),
                ratios.get(RESAMPLES - RESAMPLES / 40),
                rounds.size());
    }

    private static double ratio(List<Round> rounds, ToDoubleFunction<Run> seconds) {
        return median(rounds, round -> seconds.applyAsDouble(round.direct()))
                / median(rounds, round -> seconds.applyAsDouble(round.byMpiOperator()));
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> seconds) {
        return Launch.median(rounds.stream().map(seconds::applyAsDouble).toList());
    }
}
