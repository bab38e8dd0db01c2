/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.job.PodSide;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.pmix.job.EndpointTemplate;
import dev.fabricoperator.pmix.job.PodReport;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * From the last pod's question to the map at every pod, for a job of pods that exist in an API server and are played by this
 * process: one TLS connection, one token and one held answer each. The first round reviews every token; later ones are new
 * attempts of the same pods. Client, server and API server share the machine.
 *
 * <p>Arguments: pods (256), ranks in each (16), rounds (10).
 */
public final class JobBenchmark {
    private static final String NAMESPACE = "default";

    private final ControlPlane cluster;
    private final int pods;
    private final int ranks;
    private final int rounds;
    private final List<String> csv = new ArrayList<>(
            List.of("round,pods,ranks,map_bytes,bytes_per_rank,joined_ms,median_ms,last_ms,server_rss_kib"));

    private JobBenchmark(ControlPlane cluster, int pods, int ranks, int rounds) {
        this.cluster = cluster;
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
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            new JobBenchmark(cluster, numbers[0], numbers[1], numbers[2]).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("jobs-bench-");
        Manifests.apply(cluster);
        cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
        Files.writeString(directory.resolve("tls/ca.crt"), cluster.authorityPem());
        HttpClient http = HttpClient.newBuilder()
                .sslContext(QueryClient.trusting(cluster.authorityPem()))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        try (OperatorProcess server = OperatorProcess.start(
                cluster,
                directory,
                "server",
                List.of("-Xmx384m"),
                Map.of(
                        "FABRIC_OPERATOR_CERTIFICATE_DIRECTORY",
                        directory.resolve("tls").toString()))) {
            List<PodSide> sides = new ArrayList<>();
            for (Pod pod : createPods()) {
                sides.add(new PodSide(http, server.jobs(), token(pod)));
            }
            System.out.printf(
                    "%5s %6s %7s %10s %10s %10s %10s %10s %12s%n",
                    "round",
                    "pods",
                    "ranks",
                    "map bytes",
                    "per rank",
                    "joined ms",
                    "median ms",
                    "last ms",
                    "server KiB");
            for (int round = 0; round < rounds; round++) {
                round(round, sides, server.pid());
            }
        }
        http.shutdownNow();
        Path file = ProjectRoot.find().resolve("target/bench/jobs.csv");
        Files.createDirectories(file.getParent());
        Files.write(file, csv);
        System.out.println(file);
    }

    private void round(int round, List<PodSide> sides, long server) throws IOException, InterruptedException {
        AtomicLongArray arrived = new AtomicLongArray(pods);
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 0; i < pods - 1; i++) {
            answers.add(join(sides.get(i), i, round - 1, arrived));
        }
        // Whoever is not answered is held: the last pod comes when all others are.
        Thread.sleep(2_000 + 10L * pods * (round == 0 ? 2 : 1));
        long whole = System.nanoTime();
        answers.add(join(sides.get(pods - 1), pods - 1, round - 1, arrived));
        int bytes = 0;
        for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
            HttpResponse<byte[]> response = answer.join();
            if (PodSide.map(response).attempt() != round) {
                throw new IllegalStateException(
                        "attempt " + PodSide.map(response).attempt() + " in round " + round);
            }
            bytes = response.body().length;
        }
        long[] took = new long[pods];
        for (int i = 0; i < pods; i++) {
            took[i] = arrived.get(i) - whole;
        }
        Arrays.sort(took);
        int size = pods * ranks;
        String rss = Files.readAllLines(Path.of("/proc", Long.toString(server), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .findFirst()
                .orElse("0");
        double perRank = (double) bytes / size;
        double joined = (whole - begun) / 1e6;
        System.out.printf(
                Locale.ROOT,
                "%5d %6d %7d %10d %10.1f %10.0f %10.1f %10.1f %12s%n",
                round,
                pods,
                size,
                bytes,
                perRank,
                joined,
                took[pods / 2] / 1e6,
                took[pods - 1] / 1e6,
                rss);
        csv.add(String.format(
                Locale.ROOT,
                "%d,%d,%d,%d,%.1f,%.0f,%.1f,%.1f,%s",
                round,
                pods,
                size,
                bytes,
                perRank,
                joined,
                took[pods / 2] / 1e6,
                took[pods - 1] / 1e6,
                rss));
    }

    private CompletableFuture<HttpResponse<byte[]>> join(PodSide side, int pod, int after, AtomicLongArray arrived) {
        byte[] address = {10, 0, (byte) (pod >> 8), (byte) pod};
        byte[] instance = new byte[16];
        instance[0] = (byte) (pod >> 8);
        instance[1] = (byte) pod;
        PodReport.OpenDevice own = new PodReport.OpenDevice(
                "eth0",
                null,
                String.format(Locale.ROOT, "0a:58:0a:00:%02x:%02x", pod >> 8, pod & 0xff),
                null,
                true,
                new EndpointTemplate(EndpointTemplate.Format.FI_SOCKADDR_IN, address, 27001, 0));
        PodReport report = new PodReport(instance, after, address, 27000, ranks, "0-15", List.of(own));
        return side.joinUntilAnswered(report).whenComplete((answer, problem) -> arrived.set(pod, System.nanoTime()));
    }

    /** Pods as the Job controller would make them, which does not run here. */
    private List<Pod> createPods() {
        KubernetesClient admin = cluster.admin();
        admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName("default")
                        .endMetadata()
                        .build())
                .serverSideApply();
        Job job = admin.resource(new JobBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName("bench")
                        .endMetadata()
                        .withNewSpec()
                        .withCompletions(pods)
                        .withParallelism(pods)
                        .withCompletionMode("Indexed")
                        .withNewTemplate()
                        .withNewMetadata()
                        .addToAnnotations("fabric-operator.dev/launch", "direct")
                        .addToAnnotations("fabric-operator.dev/ranks-per-pod", Integer.toString(ranks))
                        .endMetadata()
                        .withNewSpec()
                        .withRestartPolicy("Never")
                        .addNewContainer()
                        .withName("ranks")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
        List<Pod> made = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            made.add(admin.resource(new PodBuilder()
                            .withNewMetadata()
                            .withNamespace(NAMESPACE)
                            .withName("bench-" + i)
                            .addToLabels("fabric-operator.dev/launch", "direct")
                            .addToLabels("batch.kubernetes.io/job-completion-index", Integer.toString(i))
                            .addNewOwnerReference()
                            .withApiVersion("batch/v1")
                            .withKind("Job")
                            .withName("bench")
                            .withUid(job.getMetadata().getUid())
                            .withController(true)
                            .endOwnerReference()
                            .endMetadata()
                            .withNewSpec()
                            .addNewContainer()
                            .withName("ranks")
                            .withImage("none")
                            .endContainer()
                            .endSpec()
                            .build())
                    .create());
        }
        return made;
    }

    private String token(Pod pod) {
        return cluster.admin()
                .serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences("fabric-operator-jobs")
                        .withExpirationSeconds(3600L)
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }
}
