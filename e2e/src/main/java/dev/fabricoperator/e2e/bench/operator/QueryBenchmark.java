/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.query.QueryClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Rows of the cost matrix per second, and how long one takes, directly and through the aggregation layer. Everything runs as processes of this
 * machine: the client competes with what it measures.
 *
 * <p>Arguments: number of devices, a multiple of 64 (2,048); seconds for each line (5).
 */
public final class QueryBenchmark {
    private static final int[] CLIENTS = {1, 8};
    private static final int WARM_UP_REQUESTS = 2_000;

    private final int devices;
    private final int seconds;
    private final List<String> csv =
            new ArrayList<>(List.of("way,answer,clients,devices,bytes,answers_per_second,p50_ms,p99_ms"));

    private QueryBenchmark(int devices, int seconds) {
        this.devices = devices;
        this.seconds = seconds;
    }

    private record Way(String name, QueryClient client) {}

    private record Load(String name, String format) {}

    /** Runs it, prints a table and keeps it in {@code target/bench/query.csv}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int devices = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_048;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        new QueryBenchmark(devices, seconds).run();
    }

    private void run() throws IOException, InterruptedException {
        try (ServedCluster served = ServedCluster.start(devices)) {
            measure(served);
        }
        Path file = ProjectRoot.find().resolve("target/bench/query.csv");
        Files.createDirectories(file.getParent());
        Files.write(file, csv);
        System.out.println(file);
    }

    private void measure(ServedCluster served) {
        try (QueryClient direct = served.direct();
                QueryClient through = served.aggregated()) {
            System.out.printf(
                    "%-12s %-22s %8s %9s %12s %9s %9s%n",
                    "way", "answer", "clients", "bytes", "answers/s", "p50 ms", "p99 ms");
            List<Way> ways = List.of(new Way("direct", direct), new Way("aggregated", through));
            for (Way way : ways) {
                warmUp(way.client());
            }
            for (Load load : List.of(new Load("row, uint16", "binary"), new Load("row, JSON", "json"))) {
                for (Way way : ways) {
                    for (int clients : CLIENTS) {
                        line(
                                way,
                                load.name(),
                                clients,
                                number -> ServedCluster.path(
                                        "cost?row=" + number % devices + "&format=" + load.format()));
                    }
                }
            }
            for (int clients : CLIENTS) {
                // What the API server takes for an answer of its own that needs neither etcd nor us.
                line(new Way("API server", through), "/version", clients, number -> "/version");
            }
        }
    }

    private void warmUp(QueryClient client) {
        for (int i = 0; i < WARM_UP_REQUESTS; i++) {
            client.get(ServedCluster.path("cost?row=" + i % devices + "&format=" + (i % 2 == 0 ? "binary" : "json")));
        }
    }

    @FunctionalInterface
    private interface Request {
        String path(int number);
    }

    private void line(Way way, String answer, int clients, Request request) {
        long begin = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        List<long[]> times;
        int bytes = way.client().get(request.path(0)).body().length;
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<long[]>> running = IntStream.range(0, clients)
                    .mapToObj(client -> threads.submit(() -> ask(way.client(), client, clients, request, end)))
                    .toList();
            times = running.stream().map(QueryBenchmark::await).toList();
        }
        double took = (System.nanoTime() - begin) / 1e9;
        long[] all = times.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        double perSecond = all.length / took;
        double median = all[all.length / 2] / 1e6;
        double p99 = all[(int) (all.length * 0.99)] / 1e6;
        System.out.printf(
                "%-12s %-22s %8d %9d %12.0f %9.2f %9.2f%n", way.name(), answer, clients, bytes, perSecond, median, p99);
        csv.add("%s,\"%s\",%d,%d,%d,%.1f,%.3f,%.3f"
                .formatted(way.name(), answer, clients, devices, bytes, perSecond, median, p99));
    }

    private static long[] ask(QueryClient client, int first, int step, Request request, long end) {
        long[] times = new long[1024];
        int count = 0;
        for (int number = first; System.nanoTime() < end; number += step) {
            long begin = System.nanoTime();
            int code = client.get(request.path(number)).statusCode();
            if (code != 200) {
                throw new IllegalStateException("answer " + code + " to " + request.path(number));
            }
            if (count == times.length) {
                times = Arrays.copyOf(times, 2 * count);
            }
            times[count++] = System.nanoTime() - begin;
        }
        return Arrays.copyOf(times, count);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
