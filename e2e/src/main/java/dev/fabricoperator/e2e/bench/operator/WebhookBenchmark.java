/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.TrustingAnybody;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * One AdmissionReview after another, by turns to the operator's webhook and to the least one in Go with controller-runtime, each on one HTTP/2
 * connection as the API server keeps it. Every review is for another pod of one of a hundred jobs.
 */
public final class WebhookBenchmark {
    private static final int WARM_UP = 500;
    private static final int JOBS = 100;

    private final HttpClient http;

    private WebhookBenchmark(HttpClient http) {
        this.http = http;
    }

    /** @param arguments the Go program, and how many reviews */
    public static void main(String[] arguments) throws IOException, InterruptedException, GeneralSecurityException {
        Path peer = Path.of(arguments[0]);
        int reviews = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5_000;
        Path directory = Files.createTempDirectory("webhook-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            Manifests.apply(cluster);
            cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
            int port = Ports.free();
            try (OperatorProcess controller =
                            OperatorProcess.start(cluster, directory, "controller", List.of("-Xmx192m"), Map.of());
                    OperatorProcess server = OperatorProcess.start(
                            cluster,
                            directory,
                            "server",
                            List.of("-Xmx384m", "-XX:+UseCompactObjectHeaders"),
                            Map.of("FABRIC_OPERATOR_ADMISSION_PMIXD_IMAGE", "registry.example/pmixd:test"));
                    ServerProcess go = ServerProcess.start(
                            "webhook",
                            List.of(
                                    peer.toString(),
                                    Integer.toString(port),
                                    directory.resolve("tls").toString()),
                            Map.of("CA", cluster.authorityPem()),
                            directory.resolve("webhook.log"));
                    HttpClient http = HttpClient.newBuilder()
                            .sslContext(TrustingAnybody.context())
                            .version(HttpClient.Version.HTTP_2)
                            .build()) {
                WebhookBenchmark bench = new WebhookBenchmark(http);
                URI other = URI.create("https://127.0.0.1:" + port + "/pods");
                go.awaitReady(() -> bench.answers(other), Duration.ofSeconds(30));
                bench.run(List.of(server.webhook().resolve("/pods"), other), reviews);
            }
        }
    }

    private void run(List<URI> webhooks, int reviews) throws IOException, InterruptedException {
        System.out.printf(
                "%-24s %8s %9s %9s %9s %9s%n", "webhook", "reviews", "first ms", "p50 ms", "p99 ms", "most ms");
        double[] first = new double[webhooks.size()];
        for (int i = 0; i < first.length; i++) {
            first[i] = milliseconds(webhooks.get(i), -1);
        }
        List<double[]> times = new ArrayList<>();
        webhooks.forEach(webhook -> times.add(new double[reviews]));
        for (int number = -WARM_UP; number < reviews; number++) {
            for (int i = 0; i < webhooks.size(); i++) {
                double took = milliseconds(webhooks.get(i), number);
                if (number >= 0) {
                    times.get(i)[number] = took;
                }
            }
        }
        List<String> names = List.of("fabric-operator", "Go, controller-runtime");
        for (int i = 0; i < webhooks.size(); i++) {
            double[] sorted = times.get(i);
            Arrays.sort(sorted);
            System.out.printf(
                    "%-24s %8d %9.2f %9.2f %9.2f %9.2f%n",
                    names.get(i),
                    reviews,
                    first[i],
                    sorted[reviews / 2],
                    sorted[reviews * 99 / 100],
                    sorted[reviews - 1]);
        }
    }

    private boolean answers(URI webhook) {
        try {
            milliseconds(webhook, -1);
            return true;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private double milliseconds(URI webhook, int number) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(webhook)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(review(Math.floorMod(number, JOBS), number)))
                .build();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        double took = (System.nanoTime() - start) / 1e6;
        if (response.statusCode() != 200 || !response.body().contains("\"patch\"")) {
            throw new IOException(webhook + " answers " + response.statusCode() + ": " + response.body());
        }
        return took;
    }

    /** A pod of the size that users have: two dozen variables, volumes, probes. */
    private static String review(int job, int number) {
        StringBuilder environment = new StringBuilder();
        for (int i = 0; i < 24; i++) {
            environment
                    .append(i == 0 ? "" : ",")
                    .append("{\"name\":\"VARIABLE_%d\",\"value\":\"value of it %d\"}".formatted(i, i));
        }
        return """
                {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"review-%d","namespace":"work","operation":"CREATE",
                "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
                "object":{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"job%d-0-","namespace":"work","annotations":{
                "fabric-operator.dev/launch":"direct","batch.kubernetes.io/job-completion-index":"%d"},"labels":{"batch.kubernetes.io/job-name":"job%d"},
                "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"job%d","uid":"uid-%d","controller":true}]},
                "spec":{"restartPolicy":"Never","serviceAccountName":"default","containers":[{"name":"app","image":"app:1","command":["/app/ring"],"args":["-v"],
                "env":[%s],"volumeMounts":[{"name":"data","mountPath":"/data"}]}],"volumes":[{"name":"data","emptyDir":{}}],
                "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}}}}
                """.formatted(number, job, Math.max(0, number), job, job, job, environment);
    }
}
