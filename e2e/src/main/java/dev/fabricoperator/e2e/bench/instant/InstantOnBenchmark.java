/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.instant;

import dev.fabricoperator.e2e.bench.launch.Size;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * From the last rank started to a message from every peer at every rank: addresses from PMIX_FABRIC_ENDPT, beside the same addresses by put, fence and get, turn
 * by turn in pods of the same nodes, by datagrams and by connections.
 *
 * <p>Arguments: CSV file, rounds, nodes, sizes ({@code 8x4}: pods x ranks).
 */
public final class InstantOnBenchmark {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    /** After PMIx_Init, so that ranks do not start while the others' processes still do. */
    private static final String SETTLE_MILLIS = "2000";

    private static final List<String> PROVIDERS = List.of("udp", "tcp");

    private enum Way {
        ENDPOINTS,
        EXCHANGE
    }

    private record Row(Size size, String provider, Way way, int round, FirstMessages took) {}

    private final LaunchCluster cluster;
    private final List<Row> rows = new ArrayList<>();

    private InstantOnBenchmark(LaunchCluster cluster) {
        this.cluster = cluster;
    }

    public static void main(String[] arguments) throws IOException {
        Path csv = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        List<Size> sizes = Arrays.stream(arguments).skip(3).map(Size::parse).toList();
        Path work = Files.createDirectories(csv.toAbsolutePath().resolveSibling("instant-on"));
        long start = System.nanoTime();
        try (LaunchCluster cluster = LaunchCluster.start(
                Integer.parseInt(arguments[2]),
                List.of(ProofImages.write(work, NodePrograms.find())),
                text -> System.err.printf("%5.1f s  %s%n", (System.nanoTime() - start) / 1e9, text))) {
            InstantOnBenchmark benchmark = new InstantOnBenchmark(cluster);
            for (Size size : sizes) {
                benchmark.run(size, rounds);
                benchmark.write(csv);
            }
            benchmark.print(System.out, sizes);
            System.out.println(csv);
        }
    }

    private void run(Size size, int rounds) {
        // The first round finds images and programs cold and does not count.
        for (int round = 0; round <= rounds; round++) {
            for (String provider : PROVIDERS) {
                for (Way way : Way.values()) {
                    FirstMessages took = run(size, provider, way);
                    System.err.printf(
                            Locale.ROOT,
                            "%s round %d %s %s: known %.1f ms, exchanged %.1f ms%n",
                            size,
                            round,
                            provider,
                            way,
                            took.known() * 1e3,
                            took.exchanged() * 1e3);
                    if (round > 0) {
                        rows.add(new Row(size, provider, way, round, took));
                    }
                }
            }
        }
    }

    private FirstMessages run(Size size, String provider, Way way) {
        List<String> command =
                new ArrayList<>(List.of("first-message", "--provider", provider, "--settle", SETTLE_MILLIS));
        if (way == Way.EXCHANGE) {
            command.add("--exchange");
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob job = new DirectJob(
                cluster.cluster().admin(),
                new DirectJob.Wanted(
                        ProofImages.PLAIN, command, size.pods(), size.ranksPerPod(), List.of(), null, null, false));
        int code = job.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));
        String text = output.toString(StandardCharsets.UTF_8);
        if (code != 0) {
            throw new IllegalStateException(job.name() + " ended with code " + code + ":\n" + text);
        }
        return FirstMessages.parse(text, size.ranks());
    }

    private void print(PrintStream out, List<Size> sizes) {
        out.printf(
                "%-6s %-12s %-9s %24s %24s %8s%n",
                "ranks", "size", "provider", "endpoints ms (range)", "put/fence/get ms (range)", "times");
        for (Size size : sizes) {
            for (String provider : PROVIDERS) {
                double given = median(size, provider, Way.ENDPOINTS, FirstMessages::exchanged);
                double exchanged = median(size, provider, Way.EXCHANGE, FirstMessages::exchanged);
                out.printf(
                        Locale.ROOT,
                        "%-6d %-12s %-9s %24s %24s %8.1f%n",
                        size.ranks(),
                        size,
                        provider,
                        shown(size, provider, Way.ENDPOINTS),
                        shown(size, provider, Way.EXCHANGE),
                        exchanged / given);
            }
        }
    }

    private String shown(Size size, String provider, Way way) {
        double[] all = values(size, provider, way, FirstMessages::exchanged);
        return String.format(
                Locale.ROOT, "%.1f (%.1f..%.1f)", median(all) * 1e3, all[0] * 1e3, all[all.length - 1] * 1e3);
    }

    private double median(Size size, String provider, Way way, ToDoubleFunction<FirstMessages> time) {
        return median(values(size, provider, way, time));
    }

    private double[] values(Size size, String provider, Way way, ToDoubleFunction<FirstMessages> time) {
        return rows.stream()
                .filter(row -> row.size().equals(size) && row.provider().equals(provider) && row.way() == way)
                .mapToDouble(row -> time.applyAsDouble(row.took()))
                .sorted()
                .toArray();
    }

    private static double median(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    private void write(Path csv) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("pods,ranks_per_pod,provider,way,round,known_s,exchanged_s");
        for (Row row : rows) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d,%d,%s,%s,%d,%.6f,%.6f",
                    row.size().pods(),
                    row.size().ranksPerPod(),
                    row.provider(),
                    row.way(),
                    row.round(),
                    row.took().known(),
                    row.took().exchanged()));
        }
        Files.write(csv, lines);
    }
}
