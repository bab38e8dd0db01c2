/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.operator.TrustingAnybody;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the scheduler extender takes to answer for the next pod of a job, asked as kube-scheduler asks, with the names of all nodes. The job's first pods
 * have nodes.
 */
public final class ExtenderBenchmark {
    private static final int QUESTIONS = 200;
    private static final int JOB_PODS = 64;
    private static final int PLACED = 32;
    private static final ObjectMapper JSON = new ObjectMapper();

    private ExtenderBenchmark() {}

    /** Numbers of devices, eight a node. */
    public static void main(String[] arguments) throws IOException, InterruptedException, GeneralSecurityException {
        System.out.printf(
                "%-10s %12s %10s %10s %10s %14s%n",
                "nodes", "question kB", "first ms", "median ms", "p99 ms", "server heap MB");
        for (String devices : arguments) {
            measure(Integer.parseInt(devices));
        }
    }

    private static void measure(int devices) throws IOException, InterruptedException, GeneralSecurityException {
        int port = Ports.free();
        int nodes = devices / LargeFabric.DEVICES_OF_A_HOST;
        try (ServedCluster served = ServedCluster.start(
                devices,
                Map.of(
                        "FABRIC_OPERATOR_EXTENDER_ENABLED", "true",
                        "FABRIC_OPERATOR_EXTENDER_HOST", "127.0.0.1",
                        "FABRIC_OPERATOR_EXTENDER_PORT", Integer.toString(port)))) {
            KubernetesClient admin = served.controlPlane().admin();
            // No controller makes it here, and no pod is taken without.
            admin.resource(new ServiceAccountBuilder()
                            .withNewMetadata()
                            .withName("default")
                            .withNamespace("default")
                            .endMetadata()
                            .build())
                    .create();
            Job job = admin.resource(job()).create();
            for (int i = 0; i < PLACED; i++) {
                admin.resource(pod(job, i, LargeFabric.nodeName(i * nodes / JOB_PODS)))
                        .create();
            }
            HttpRequest question = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/prioritize"))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(question(pod(job, PLACED, null), nodes)))
                    .build();
            double[] times = new double[QUESTIONS];
            try (HttpClient client = scheduler(served.controlPlane())) {
                for (int i = 0; i < QUESTIONS; i++) {
                    long start = System.nanoTime();
                    HttpResponse<byte[]> answer = client.send(question, HttpResponse.BodyHandlers.ofByteArray());
                    times[i] = (System.nanoTime() - start) / 1e6;
                    if (answer.statusCode() != 200
                            || JSON.readTree(answer.body()).size() != nodes) {
                        throw new IllegalStateException("answered " + answer.statusCode());
                    }
                }
            }
            double first = times[0];
            Arrays.sort(times);
            System.out.printf(
                    Locale.ROOT,
                    "%-10d %12.0f %10.1f %10.1f %10.1f %14.0f%n",
                    nodes,
                    question.bodyPublisher().orElseThrow().contentLength() / 1e3,
                    first,
                    times[QUESTIONS / 2],
                    times[QUESTIONS * 99 / 100],
                    served.metric("jvm_memory_used_bytes", "heap") / 1e6);
        }
    }

    private static HttpClient scheduler(ControlPlane cluster) throws IOException, GeneralSecurityException {
        Path kubeconfig = Files.createTempFile("scheduler-", ".kubeconfig");
        cluster.writeKubeconfig(kubeconfig, "system:kube-scheduler", null);
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        Files.delete(kubeconfig);
        return HttpClient.newBuilder()
                .sslContext(TrustingAnybody.context(SSLUtils.keyManagers(
                        config.getClientCertData(), null, config.getClientKeyData(), null, "RSA", "", null, null)))
                .build();
    }

    private static byte[] question(Pod pod, int nodes) throws IOException {
        ObjectNode question = JSON.createObjectNode();
        question.set("Pod", JSON.valueToTree(pod));
        ArrayNode names = question.putArray("NodeNames");
        for (int i = 0; i < nodes; i++) {
            names.add(LargeFabric.nodeName(i));
        }
        return JSON.writeValueAsBytes(question);
    }

    private static Job job() {
        return new JobBuilder()
                .withNewMetadata()
                .withName("ring")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withCompletions(JOB_PODS)
                .withParallelism(JOB_PODS)
                .withCompletionMode("Indexed")
                .withNewTemplate()
                .withNewSpec()
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("ranks")
                .withImage("none")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    /** As the Job controller makes it. */
    private static Pod pod(Job job, int index, @Nullable String node) {
        String uid = job.getMetadata().getUid();
        return new PodBuilder()
                .withNewMetadata()
                .withName("ring-" + index)
                .withNamespace("default")
                .withUid("pod-" + index)
                .addToLabels("batch.kubernetes.io/controller-uid", uid)
                .addToLabels("batch.kubernetes.io/job-name", "ring")
                .addToLabels("batch.kubernetes.io/job-completion-index", Integer.toString(index))
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName("ring")
                .withUid(uid)
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("ranks")
                .withImage("none")
                .endContainer()
                .endSpec()
                .build();
    }
}
