/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import com.sun.management.OperatingSystemMXBean;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.e2e.bench.Measured;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import dev.fabricoperator.protocol.job.JobMapCodec;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/**
 * Two replicas of the job service, and the pods of one job, which exist in an API server and are played by this process ({@link PlayedPod}). In each round the pods make two
 * attempts: all ask <em>together</em>, and then all but the first wait until that, the <em>last</em>, asks. Beside them a job of four pods of another namespace makes
 * one attempt after the other, as it did alone before. The first round reviews every token.
 *
 * <p>Pods, operator and API server share the machine: whose processor time it is stands in the table.
 *
 * <p>Arguments: pods (256), ranks in each (16), rounds (10).
 */
public final class JobBenchmark {
    /** Of the replicas: an EndpointSlice has none of loopback. Made by {@code jobs.sh}, in a network namespace. */
    private static final String ADDRESS = "192.0.2.1";

    private static final int FEW = 4;
    private static final int ALONE_ROUNDS = 40;
    /** Between two attempts of the job of few pods. */
    private static final int PAUSE_MILLIS = 25;

    private static final String HEAD = "%-8s %5s %9s %9s %9s %9s | %5s %6s %6s | %9s %8s %8s %8s%n";

    private final ControlPlane cluster;
    private final Path directory;
    private final List<EventLoop> loops = new ArrayList<>();
    private final List<OperatorProcess> servers = new ArrayList<>();
    private final List<String> csv = new ArrayList<>(List.of(
            "ask,round,pods,ranks,map_bytes,asked_ms,joined_ms,median_ms,last_ms,refused_503,refused_429,beside,"
                    + "servers_cpu_ms,api_cpu_ms,bench_cpu_ms,server_rss_kib,load"));

    private JobBenchmark(ControlPlane cluster, Path directory) {
        this.cluster = cluster;
        this.directory = directory;
    }

    /** Runs it, prints a table and keeps it in {@code target/bench/jobs.csv}. */
    public static void main(String[] arguments) throws Exception {
        int[] numbers = {256, 16, 10};
        for (int i = 0; i < arguments.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i]);
        }
        Path directory = Files.createTempDirectory("jobs-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            Manifests.apply(cluster);
            cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
            Files.writeString(directory.resolve("tls/ca.crt"), cluster.authorityPem());
            JobBenchmark benchmark = new JobBenchmark(cluster, directory);
            try {
                benchmark.startLoops();
                benchmark.startServers();
                benchmark.run(numbers[0], numbers[1], numbers[2]);
            } finally {
                benchmark.servers.forEach(OperatorProcess::close);
            }
            Path file = ProjectRoot.find().resolve("target/bench/jobs.csv");
            Files.createDirectories(file.getParent());
            Files.write(file, benchmark.csv);
            System.out.println(file);
        }
    }

    private void startLoops() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            EventLoop loop = new EventLoop();
            loops.add(loop);
            Thread thread = new Thread(loop::run, "pods");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** With the heap that they have in their image, 40 % of their limit; all pods are played from one address. */
    private void startServers() {
        for (int replica = 0; replica < 2; replica++) {
            int port = Ports.free();
            servers.add(OperatorProcess.start(
                    cluster,
                    directory,
                    "server",
                    List.of("-Xmx512m", "-XX:+UseSerialGC"),
                    Map.of(
                            "FABRIC_OPERATOR_CERTIFICATE_DIRECTORY",
                            directory.resolve("tls").toString(),
                            "FABRIC_OPERATOR_JOBS_PORT",
                            Integer.toString(port),
                            "FABRIC_OPERATOR_JOBS_HOST",
                            ADDRESS,
                            "FABRIC_OPERATOR_JOBS_ADDRESS",
                            ADDRESS,
                            "FABRIC_OPERATOR_JOBS_LISTENER_CONNECTIONS_PER_ADDRESS",
                            "16384",
                            "FABRIC_OPERATOR_JOBS_LISTENER_HANDSHAKES_PER_ADDRESS",
                            "16384",
                            "FABRIC_OPERATOR_JOBS_LISTENER_REQUESTS_PER_ADDRESS",
                            "32768")));
            cluster.admin()
                    .resource(new EndpointSliceBuilder()
                            .withNewMetadata()
                            .withNamespace(OperatorProcess.NAMESPACE)
                            .withName("jobs-" + replica)
                            .addToLabels("kubernetes.io/service-name", "fabric-operator-jobs")
                            .endMetadata()
                            .withAddressType("IPv4")
                            .addNewEndpoint()
                            .withAddresses(ADDRESS)
                            .withNewConditions()
                            .withReady(true)
                            .endConditions()
                            .endEndpoint()
                            .addNewPort()
                            .withPort(port)
                            .endPort()
                            .build())
                    .create();
        }
    }

    private List<PlayedPod> play(String namespace, int pods, int ranks) throws IOException, InterruptedException {
        List<Path> tokens = new PodsOfJob(cluster.admin(), namespace, "job", pods, ranks).create(directory);
        List<PlayedPod> played = new ArrayList<>();
        for (Path token : tokens) {
            played.add(new PlayedPod(
                    loops.get(played.size() % loops.size()),
                    played.size(),
                    ranks,
                    new ServiceSettings(
                            servers.stream()
                                    .map(server -> server.jobs().getAuthority())
                                    .toList(),
                            "127.0.0.1",
                            cluster.authorityPem(),
                            token)));
        }
        return played;
    }

    private void run(int pods, int ranks, int rounds) throws Exception {
        for (String namespace : List.of("many", "few")) {
            cluster.admin()
                    .resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(namespace)
                            .endMetadata()
                            .build())
                    .create();
        }
        System.out.println("load " + load() + " before");
        List<PlayedPod> few = play("few", FEW, ranks);
        List<PlayedPod> many = play("many", pods, ranks);
        long begun = System.nanoTime();
        for (CompletableFuture<Void> connected : Stream.concat(few.stream(), many.stream())
                .map(PlayedPod::connect)
                .toList()) {
            connected.join();
        }
        System.out.printf(
                Locale.ROOT,
                "%d pods have shaken hands with the first replica in %.1f s; servers %s KiB%n",
                pods + FEW,
                (System.nanoTime() - begun) / 1e9,
                resident());
        Beside beside = new Beside(few);
        double[] alone = new double[ALONE_ROUNDS];
        beside.attempt();
        for (int i = 0; i < ALONE_ROUNDS; i++) {
            alone[i] = beside.attempt();
            Thread.sleep(PAUSE_MILLIS);
        }
        Arrays.sort(alone);
        System.out.printf(
                Locale.ROOT,
                "%d pods alone: median %.1f ms, longest %.1f of %d attempts%n",
                FEW,
                alone[ALONE_ROUNDS / 2],
                alone[ALONE_ROUNDS - 1],
                ALONE_ROUNDS);
        System.out.printf(
                HEAD,
                "ask",
                "round",
                "asked ms",
                "joined ms",
                "median ms",
                "last ms",
                "503",
                "429",
                "beside",
                "servers",
                "API",
                "bench",
                "KiB");
        int attempt = 0;
        for (int round = 0; round < rounds; round++) {
            measured("together", round, many, attempt++, pods * ranks, beside, alone[ALONE_ROUNDS / 2]);
            measured("last", round, many, attempt++, pods * ranks, beside, alone[ALONE_ROUNDS / 2]);
        }
        System.out.println("load " + load() + " after");
    }

    /** One attempt of the many. */
    private void measured(
            String ask, int round, List<PlayedPod> many, int attempt, int size, Beside beside, double aloneMillis)
            throws Exception {
        double[] refused = {metric("503"), metric("429")};
        boolean last = ask.equals("last");
        List<CompletableFuture<PlayedPod.Arrival>> arrivals = new ArrayList<>();
        if (last) {
            for (PlayedPod pod : many.subList(1, many.size())) {
                arrivals.add(pod.join(attempt - 1));
            }
            while (!isMissingOne(attempt)) {
                Thread.sleep(50);
            }
        }
        Future<double[]> others = beside.begin();
        long begun = System.nanoTime();
        long[] cpu = cpu();
        for (PlayedPod pod : last ? many.subList(0, 1) : many) {
            arrivals.add(pod.join(attempt - 1));
        }
        long asked = 0;
        long answered = Long.MAX_VALUE;
        long[] at = new long[many.size()];
        byte[] map = {};
        for (int i = 0; i < at.length; i++) {
            PlayedPod.Arrival arrival = arrivals.get(i).join();
            at[i] = arrival.atNanos();
            map = arrival.map();
            asked = Math.max(asked, arrival.askedNanos());
            answered = Math.min(answered, arrival.answeredNanos());
        }
        long[] after = cpu();
        double[] few = beside.end(others);
        if (JobMapCodec.decode(map).attempt() != attempt) {
            throw new IllegalStateException("another attempt than " + attempt);
        }
        Arrays.sort(at);
        Object[] row = {
            ask,
            round,
            (asked - begun) / 1e6,
            (answered - asked) / 1e6,
            (at[at.length / 2] - asked) / 1e6,
            (at[at.length - 1] - asked) / 1e6,
            (int) (metric("503") - refused[0]),
            (int) (metric("429") - refused[1]),
            few.length == 0 ? Double.NaN : few[few.length / 2] / aloneMillis,
            after[0] - cpu[0],
            after[1] - cpu[1],
            after[2] - cpu[2],
            resident()
        };
        System.out.printf(Locale.ROOT, "%-8s %5d %9.0f %9.0f %9.0f %9.0f | %5d %6d %6.2f | %9d %8d %8d %8s%n", row);
        Object[] kept = {
            ask,
            round,
            many.size(),
            size,
            map.length,
            row[2],
            row[3],
            row[4],
            row[5],
            row[6],
            row[7],
            row[8],
            row[9],
            row[10],
            row[11],
            row[12],
            load()
        };
        csv.add(String.format(Locale.ROOT, "%s,%d,%d,%d,%d,%.0f,%.0f,%.0f,%.0f,%d,%d,%.2f,%d,%d,%d,%s,%s", kept));
    }

    /** One attempt after the other of the job of few pods, until it is told to end. */
    private static final class Beside {
        private final List<PlayedPod> pods;
        private int attempts;
        private volatile boolean ends;

        Beside(List<PlayedPod> pods) {
            this.pods = pods;
        }

        /** @return milliseconds from the last question to the last map */
        double attempt() throws IOException {
            List<CompletableFuture<PlayedPod.Arrival>> arrivals = new ArrayList<>();
            for (PlayedPod pod : pods) {
                arrivals.add(pod.join(attempts - 1));
            }
            attempts++;
            long asked = 0;
            long at = 0;
            for (CompletableFuture<PlayedPod.Arrival> each : arrivals) {
                asked = Math.max(asked, each.join().askedNanos());
                at = Math.max(at, each.join().atNanos());
            }
            return (at - asked) / 1e6;
        }

        Future<double[]> begin() {
            ends = false;
            FutureTask<double[]> task = new FutureTask<>(() -> {
                List<Double> took = new ArrayList<>();
                while (!ends) {
                    took.add(attempt());
                    Thread.sleep(PAUSE_MILLIS);
                }
                return took.stream().mapToDouble(each -> each).sorted().toArray();
            });
            Thread.ofPlatform().name("few").daemon().start(task);
            return task;
        }

        double[] end(Future<double[]> begun) throws Exception {
            ends = true;
            return begun.get();
        }
    }

    private boolean isMissingOne(int attempt) {
        FabricJob job = cluster.admin()
                .resources(FabricJob.class)
                .inNamespace("many")
                .withName("job")
                .get();
        FabricJobStatus status = job == null ? null : job.getStatus();
        return status != null
                && Integer.valueOf(attempt).equals(status.attempt())
                && Integer.valueOf(1).equals(status.missingTotal());
    }

    private double metric(String code) {
        return servers.stream()
                .mapToDouble(server -> server.metric("fabric_operator_jobs_seconds_count", "code=\"" + code + "\""))
                .sum();
    }

    private String resident() throws IOException {
        StringBuilder text = new StringBuilder();
        for (OperatorProcess server : servers) {
            text.append(text.isEmpty() ? "" : "+").append(new Measured(server.pid()).residentKibibytes());
        }
        return text.toString();
    }

    /** Milliseconds of the servers, of API server and etcd, and of this process. */
    private long[] cpu() throws IOException {
        long[] cpu = new long[3];
        for (OperatorProcess server : servers) {
            cpu[0] += new Measured(server.pid()).processorTime().toMillis();
        }
        for (long pid : cluster.pids()) {
            cpu[1] += new Measured(pid).processorTime().toMillis();
        }
        cpu[2] =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1_000_000;
        return cpu;
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }
}
