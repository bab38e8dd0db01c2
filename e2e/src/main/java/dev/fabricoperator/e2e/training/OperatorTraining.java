/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.training;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.job.PodSide;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.operator.TrustingAnybody;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.e2e.query.Users;
import dev.fabricoperator.protocol.job.PodReport;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionReview;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionReviewBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;

/**
 * Training runs of the operator, one for each role, each of which writes an AOT cache when it ends: on a real API server the controller publishes a small fabric, and the server changes a pod, answers a
 * question about the fabric and brings a job of two pods together. Every step has a limit, and tells the end of the operator's log when it is over.
 */
public final class OperatorTraining {
    private static final String FABRIC = "infiniband-0";
    private static final String NAMESPACE = "default";
    private static final int PODS = 2;
    private static final Duration STEP = Duration.ofSeconds(60);
    /** The JVM makes the cache after main has ended, which takes ten seconds of one processor. */
    private static final Duration WRITING = Duration.ofMinutes(3);

    private final Cluster cluster;
    private final Path directory;
    private final List<String> command;

    private OperatorTraining(Cluster cluster, Path directory, List<String> command) {
        this.cluster = cluster;
        this.directory = directory;
        this.command = command;
    }

    /** @param arguments a directory for logs and kubeconfigs, then a whole command in which {@code %s} stands for the role; it writes the cache into that directory */
    public static void main(String[] arguments) {
        train(Path.of(arguments[0]), List.of(arguments).subList(1, arguments.length));
    }

    private static void train(Path directory, List<String> command) {
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            OperatorTraining training = new OperatorTraining(cluster, directory, command);
            try (OperatorProcess controller = training.publish()) {
                // Side by side: most of a run is the writing of its cache, on one processor.
                BlockingTasks.runAll(List.of(() -> training.end(controller, "controller"), training::serve));
            }
        }
    }

    private OperatorProcess publish() {
        Manifests.apply(cluster);
        KubernetesClient admin = cluster.admin();
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            admin.resource(SmallFabric.device(host)).create();
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        OperatorProcess controller = start("controller");
        controller.await("did not publish the fabric", STEP, this::isPublished);
        return controller;
    }

    private boolean isPublished() {
        Fabric fabric = cluster.admin().resources(Fabric.class).withName(FABRIC).get();
        return fabric != null
                && fabric.getStatus() != null
                && Integer.valueOf(SmallFabric.HOSTS).equals(fabric.getStatus().devices())
                && fabric.getStatus().conditions().stream()
                        .anyMatch(condition -> condition.type().equals("Ready")
                                && condition.status().name().equals("True"));
    }

    private void serve() {
        Job job = PlayedJobs.create(cluster.admin(), NAMESPACE, "training", PODS, Map.of());
        PlayedJobs.createServiceAccount(cluster.admin(), NAMESPACE);
        SSLContext tls = trustingAnybody();
        try (OperatorProcess server = start("server");
                HttpClient http = HttpClient.newBuilder().sslContext(tls).build();
                QueryClient query = new QueryClient(server.query(), tls, new Users(cluster).viewer("training"))) {
            review(server, http, job);
            String cost = QueryClient.FABRICS + FABRIC + "/cost?from=0&to=1";
            server.await("did not answer " + cost, STEP, () -> query.get(cost).statusCode() == 200);
            join(server, http, job);
            end(server, "server");
        }
    }

    private static SSLContext trustingAnybody() {
        try {
            return TrustingAnybody.context();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no TLS in this JVM", e);
        }
    }

    private static void review(OperatorProcess server, HttpClient http, Job job) {
        AdmissionReview review = new AdmissionReviewBuilder()
                .withNewRequest()
                .withUid("training")
                .withNamespace(NAMESPACE)
                .withOperation("CREATE")
                .withNewKind("", "Pod", "v1")
                .withNewResource("", "pods", "v1")
                .withObject(PlayedJobs.podOf(job, 0)
                        .editMetadata()
                        .addToAnnotations(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                        .endMetadata()
                        .build())
                .endRequest()
                .build();
        HttpRequest request = HttpRequest.newBuilder(server.webhook().resolve("/pods"))
                .timeout(STEP)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(Serialization.asJson(review)))
                .build();
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        server.await("did not answer a review", STEP, answer::isDone);
        if (answer.join().statusCode() != 200) {
            throw new IllegalStateException("the webhook answers "
                    + answer.join().statusCode() + ": " + answer.join().body());
        }
    }

    /** Pods as the Job controller would make them, which does not run here, and what the pmixd of each would say. */
    private void join(OperatorProcess server, HttpClient http, Job job) {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int index = 0; index < PODS; index++) {
            Pod pod = cluster.admin()
                    .resource(PlayedJobs.podOf(job, index)
                            .editSpec()
                            .withNodeName("n" + (index + 1))
                            .endSpec()
                            .build())
                    .create();
            byte[] instance = new byte[16];
            instance[0] = (byte) index;
            PodReport report =
                    new PodReport(instance, -1, new byte[] {10, 0, 0, (byte) index}, 27000, 1, "0-3", "0", List.of());
            String token = ServiceAccountTokens.ofPod(cluster.admin(), pod, LaunchApi.TOKEN_AUDIENCE);
            answers.add(new PodSide(http, server.jobs(), token).joinUntilAnswered(report));
        }
        server.await(
                "did not bring two pods together", STEP, () -> answers.stream().allMatch(CompletableFuture::isDone));
        answers.forEach(answer -> PodSide.map(answer.join()));
    }

    private OperatorProcess start(String role) {
        List<String> whole =
                command.stream().map(word -> word.replace("%s", role)).toList();
        return OperatorProcess.startCommand(cluster, directory, role, whole, Map.of());
    }

    private void end(OperatorProcess process, String role) {
        process.terminate(WRITING);
        if (!Files.exists(directory.resolve(role + ".aot"))) {
            throw new IllegalStateException("the " + role + " has written no AOT cache: " + process.log());
        }
    }
}
