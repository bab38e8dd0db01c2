/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.ServiceEndpoints;
import dev.fabricoperator.e2e.query.MachineAddress;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A controller and a server whose webhooks a real API server calls, and a namespace that allows injection. */
final class AdmissionCase implements AutoCloseable {
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION",
            "60s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RENEW_DEADLINE",
            "45s",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD",
            "500ms",
            "FABRIC_OPERATOR_ADMISSION_PMIXD_IMAGE",
            "registry.example/pmixd:test");

    final ControlPlane cluster;
    final KubernetesClient admin;
    final String namespace;
    private final Path directory;
    private final List<AutoCloseable> opened = new ArrayList<>();

    AdmissionCase(ControlPlane cluster, Path directory, String namespace) {
        this(cluster, directory, namespace, Map.of());
        Manifests.apply(cluster);
    }

    private AdmissionCase(ControlPlane cluster, Path directory, String namespace, Map<String, String> labels) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.namespace = namespace;
        this.directory = directory;
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .addToLabels(LaunchApi.LABEL_INJECTION, LaunchApi.INJECTION_ENABLED)
                        .addToLabels(labels)
                        .endMetadata()
                        .build())
                .create();
    }

    /** The same operator, seen from another namespace of these labels. */
    AdmissionCase in(String other, Map<String, String> labels) {
        return new AdmissionCase(cluster, directory, other, labels);
    }

    /** Waits until the API server has taken up the policy, which it does a moment after it was written. */
    void awaitPolicy() {
        Pod probe = new PodBuilder()
                .withNewMetadata()
                .withName("probe")
                .addToAnnotations(LaunchApi.LAUNCH, "probe")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("app")
                .withImage("app:1")
                .endContainer()
                .endSpec()
                .build();
        eventually(() -> assertThatThrownBy(() -> admin.pods()
                        .inNamespace(namespace)
                        .resource(probe)
                        .dryRun()
                        .create())
                .hasMessageContaining("has not prepared this pod"));
    }

    /** Waits until the API server is told whose word to take for the webhooks. */
    void awaitWebhooks() {
        eventually(() -> assertThat(bundles()).hasSize(3).doesNotContainNull());
    }

    /** What the API server trusts for each webhook. */
    List<@Nullable String> bundles() {
        List<@Nullable String> bundles = new ArrayList<>();
        for (MutatingWebhookConfiguration configuration : admin.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withLabel("app.kubernetes.io/part-of", "fabric-operator")
                .list()
                .getItems()) {
            configuration
                    .getWebhooks()
                    .forEach(webhook -> bundles.add(webhook.getClientConfig().getCaBundle()));
        }
        return bundles;
    }

    OperatorProcess startController() {
        return keep(OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, SETTINGS));
    }

    /** Starts it and makes the webhooks' Service lead to it. */
    OperatorProcess startServer() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("FABRIC_OPERATOR_ADMISSION_HOST", MachineAddress.find());
        OperatorProcess server =
                keep(OperatorProcess.start(cluster, directory, "server", OperatorProcess.BRIEF, settings));
        ServiceEndpoints.point(cluster, LaunchApi.WEBHOOK_SERVICE, List.of(server.webhook()));
        return server;
    }

    private OperatorProcess keep(OperatorProcess process) {
        opened.add(process);
        return process;
    }

    /** The pods of a job, as many as it should have. */
    List<Pod> awaitPods(String job, int count) {
        eventually(() -> assertThat(pods(job)).hasSize(count));
        return pods(job);
    }

    List<Pod> pods(String job) {
        return admin.pods()
                .inNamespace(namespace)
                .withLabel("batch.kubernetes.io/job-name", job)
                .list()
                .getItems();
    }

    /** What the Job's Events say. */
    List<String> events(String job) {
        return admin.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> job.equals(event.getInvolvedObject().getName()))
                .map(Event::getMessage)
                .toList();
    }

    /** How often the API server has refused a pod of the job. */
    int refusals(String job) {
        return admin.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event ->
                        job.equals(event.getInvolvedObject().getName()) && "FailedCreate".equals(event.getReason()))
                .mapToInt(event -> event.getCount() == null ? 1 : event.getCount())
                .sum();
    }

    static Container container(Pod pod, String name) {
        return pod.getSpec().getContainers().stream()
                .filter(container -> container.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no container " + name));
    }

    Job apply(String yaml) {
        return admin.batch()
                .v1()
                .jobs()
                .inNamespace(namespace)
                .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    /** An Indexed Job of as many pods as it says. */
    static String job(String name, int pods, String annotations, String podSpec) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: %s}
                spec:
                  completionMode: Indexed
                  completions: %d
                  parallelism: %d
                  template:
                    metadata:
                      annotations: {fabric-operator.dev/launch: direct%s}
                    spec: %s
                """.formatted(name, pods, pods, annotations, podSpec);
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }
}
