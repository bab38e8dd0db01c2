/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * From the last pod's question to the map at every pod, for a job of pods that exist in an API server and are played by this
 * process with pmixd's own code: one TLS connection, one token, one held answer and one place in the mesh each. The first
 * round reviews every token; later ones are new attempts of the same pods. Every pod is sent the map by the operator
 * ({@code direct}), or pod 0 is and the others hand it on ({@code handed}). Pods, operator and API server share the machine.
 *
 * <p>Arguments: pods (256), ranks in each (16), rounds (10).
 */
public final class JobBenchmark {
    private static final String FORMAT = "%-7s %5d %6d %7d %10d %9.1f %10.0f %10.1f %10.1f %8d %12d %10d %11d%n";

    private final ControlPlane cluster;
    private final Path directory;
    private final int pods;
    private final int ranks;
    private final int rounds;
    private final List<EventLoop> loops = new ArrayList<>();
    private final List<String> csv =
            new ArrayList<>(List.of("way,round,pods,ranks,map_bytes,bytes_per_rank,joined_ms,median_ms,last_ms,handed,"
                    + "operator_bytes,operator_cpu_ms,operator_rss_kib"));

    private JobBenchmark(ControlPlane cluster, Path directory, int pods, int ranks, int rounds) {
        this.cluster = cluster;
        this.directory = directory;
        this.pods = pods;
        this.ranks = ranks;
        this.rounds = rounds;
    }

    /** Runs it, prints a table and keeps it in {@code target/bench/jobs.csv}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int[] numbers = {256, 16, 10};
        for (int i = 0; i < arguments.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i]);
        }
        Path directory = Files.createTempDirectory("jobs-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            Manifests.apply(cluster);
            cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
            Files.writeString(directory.resolve("tls/ca.crt"), cluster.authorityPem());
            JobBenchmark benchmark = new JobBenchmark(cluster, directory, numbers[0], numbers[1], numbers[2]);
            benchmark.startLoops();
            System.out.printf(
                    "%-7s %5s %6s %7s %10s %9s %10s %10s %10s %8s %12s %10s %11s%n",
                    "way",
                    "round",
                    "pods",
                    "ranks",
                    "map bytes",
                    "per rank",
                    "joined ms",
                    "median ms",
                    "last ms",
                    "handed",
                    "bytes sent",
                    "CPU ms",
                    "server KiB");
            benchmark.run("direct", Integer.MAX_VALUE);
            benchmark.run("handed", 1);
            Path file = ProjectRoot.find().resolve("target/bench/jobs.csv");
            Files.createDirectories(file.getParent());
            Files.write(file, benchmark.csv);
            System.out.println(file);
        }
    }

    private void startLoops() throws IOException {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            EventLoop loop = new EventLoop();
            loops.add(loop);
            Thread thread = new Thread(loop::run, "pods");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run(String way, int handOnAbove) throws IOException, InterruptedException {
        PodsOfJob job = new PodsOfJob(cluster.admin(), way, pods, ranks);
        try (OperatorProcess server = OperatorProcess.start(
                cluster,
                directory,
                "server",
                List.of("-Xmx384m"),
                Map.of(
                        "FABRIC_OPERATOR_CERTIFICATE_DIRECTORY",
                        directory.resolve("tls").toString(),
                        "FABRIC_OPERATOR_JOBS_HAND_ON_ABOVE",
                        Integer.toString(handOnAbove)))) {
            List<PlayedPod> played = new ArrayList<>();
            for (Pod pod : job.create()) {
                int index = played.size();
                Path token = directory.resolve(way + "-" + index);
                Files.writeString(token, job.token(pod));
                ServiceSettings settings = new ServiceSettings(
                        List.of(server.jobs().getAuthority()), "127.0.0.1", cluster.authorityPem(), token);
                played.add(new PlayedPod(loops.get(index % loops.size()), index, ranks, settings));
            }
            for (int round = 0; round < rounds; round++) {
                round(way, round, played, server.pid());
            }
        }
    }

    private void round(String way, int round, List<PlayedPod> played, long server)
            throws IOException, InterruptedException {
        List<CompletableFuture<PlayedPod.Arrival>> arrivals = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 1; i < pods; i++) {
            arrivals.add(played.get(i).join(round - 1));
        }
        // Whoever is not answered is held: the last pod comes when all others are.
        Thread.sleep(2_000 + 10L * pods * (round == 0 ? 3 : 1));
        long cpu = cpuMillis(server);
        long whole = System.nanoTime();
        arrivals.add(played.getFirst().join(round - 1));
        long[] took = new long[pods];
        int mapBytes = 0;
        int handed = 0;
        long sent = 0;
        for (int i = 0; i < pods; i++) {
            PlayedPod.Arrival arrival = arrivals.get(i).join();
            if (arrival.attempt() != round) {
                throw new IllegalStateException("attempt " + arrival.attempt() + " in round " + round);
            }
            took[i] = arrival.atNanos() - whole;
            mapBytes = arrival.bytes();
            handed += arrival.handed() ? 1 : 0;
            sent += arrival.handed() ? arrival.ticketBytes() : arrival.bytes();
        }
        cpu = cpuMillis(server) - cpu;
        Arrays.sort(took);
        int size = pods * ranks;
        Object[] row = {
            way,
            round,
            pods,
            size,
            mapBytes,
            (double) mapBytes / size,
            (whole - begun) / 1e6,
            took[pods / 2] / 1e6,
            took[pods - 1] / 1e6,
            handed,
            sent,
            cpu,
            residentKib(server)
        };
        System.out.printf(Locale.ROOT, FORMAT, row);
        csv.add(String.format(Locale.ROOT, "%s,%d,%d,%d,%d,%.1f,%.0f,%.1f,%.1f,%d,%d,%d,%d", row));
    }

    private static long residentKib(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    /** User and system time; the kernel counts hundredths of a second. */
    private static long cpuMillis(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return 10 * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
    }
}
