/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.protocol.job.PodReport;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** Jobs whose pods exist and never run, with tokens that are bound to them, against a server as a process. */
public final class JobCase implements AutoCloseable {

    final ControlPlane cluster;
    final KubernetesClient admin;
    final HttpClient http;
    private final Path directory;
    private final List<OperatorProcess> servers = new ArrayList<>();

    /** @param directory for settings and logs */
    public JobCase(ControlPlane cluster, Path directory) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.directory = directory;
        Manifests.apply(cluster);
        cluster.writeServingCertificate(
                directory.resolve("tls"), List.of("fabric-operator-jobs.fabric-operator.svc", "127.0.0.1"));
        try {
            Files.writeString(directory.resolve("tls/ca.crt"), cluster.authorityPem());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        http = HttpClient.newBuilder()
                .sslContext(QueryClient.trusting(cluster.authorityPem()))
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LIMIT)
                .build();
    }

    public OperatorProcess startServer(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>();
        settings.put(
                "FABRIC_OPERATOR_CERTIFICATE_DIRECTORY",
                directory.resolve("tls").toString());
        settings.putAll(more);
        OperatorProcess server = OperatorProcess.start(cluster, directory, "server", OperatorProcess.BRIEF, settings);
        servers.add(server);
        return server;
    }

    /** As {@link #startServer}, which may be ready later, and which the caller ends. */
    OperatorProcess beginServer(Cluster api, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.put(
                "FABRIC_OPERATOR_CERTIFICATE_DIRECTORY",
                directory.resolve("tls").toString());
        return OperatorProcess.begin(api, directory, "server", settings);
    }

    /** An Indexed Job that asks for a direct launch. Its pods carry the label that admission would give them. */
    Job createJob(String namespace, String name, int pods, Map<String, String> annotations) {
        return PlayedJobs.create(admin, namespace, name, pods, annotations);
    }

    Node createNode(String name) {
        return admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    /** As {@link #createJob}, with pods that have their node from the beginning, whether there is one or not. */
    Job createJobOnNode(String namespace, String name, int pods, String node) {
        return createJobOnNode(namespace, name, pods, node, Map.of());
    }

    Job createJobOnNode(String namespace, String name, int pods, String node, Map<String, String> annotations) {
        return admin.resource(new JobBuilder(PlayedJobs.job(namespace, name, pods, annotations))
                        .editSpec()
                        .editTemplate()
                        .editSpec()
                        .withNodeName(node)
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    /** A controller and {@link SmallFabric}, of which host 5's adapter is in node n1, too. Waits until the fabric is known. */
    OperatorProcess startFabric() {
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            String node = host == 5 ? "n1" : "n" + host;
            admin.resource(SmallFabric.device(
                            SmallFabric.deviceName(host),
                            node,
                            SmallFabric.guid(host),
                            "fe80:0000:0000:0000:0000:0000:0000:00d" + host))
                    .create();
        }
        admin.resource(SmallFabric.upload(SmallFabric.dump())).create();
        OperatorProcess controller = OperatorProcess.start(
                cluster,
                directory,
                "controller",
                OperatorProcess.BRIEF,
                Map.of("FABRIC_OPERATOR_DAMPING_CHANGES", "1000"));
        servers.add(controller);
        admin.resources(Fabric.class)
                .withName("infiniband-0")
                .waitUntilCondition(
                        fabric -> fabric != null
                                && fabric.getStatus() != null
                                && Objects.equals(fabric.getStatus().devices(), SmallFabric.HOSTS)
                                && Objects.equals(fabric.getStatus().switches(), 3)
                                && fabric.getStatus().pendingGeneration() == null,
                        LIMIT.toSeconds(),
                        TimeUnit.SECONDS);
        return controller;
    }

    void removeFabric() {
        admin.resource(SmallFabric.upload("")).delete();
        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        admin.resources(Fabric.class).delete();
        // The next one may have the same name.
        admin.configMaps()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-operator-numbers")
                .delete();
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    /** The living pods of a Job by index, once there are so many. */
    List<Pod> pods(Job job, int count) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> admin
                                .pods()
                                .inNamespace(job.getMetadata().getNamespace())
                                .withLabel(
                                        "batch.kubernetes.io/job-name",
                                        job.getMetadata().getName())
                                .list()
                                .getItems()
                                .stream()
                                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                                .sorted(Comparator.comparingInt(JobCase::index))
                                .toList(),
                        pods -> pods.size() == count);
    }

    /** The FabricJob of a Job, once it is in a phase. */
    FabricJob fabricJob(Job job, JobPhase phase) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> admin.resources(FabricJob.class)
                                .inNamespace(job.getMetadata().getNamespace())
                                .withName(job.getMetadata().getName())
                                .get(),
                        found -> found != null
                                && found.getStatus() != null
                                && found.getStatus().phase() == phase);
    }

    /** As the kubelet says it, whose part nobody else plays where pods never run. */
    void end(Pod pod, String phase) {
        eventually(() -> admin.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .editStatus(present -> {
                    present.getStatus().setPhase(phase);
                    return present;
                }));
    }

    void awaitEvent(String namespace, String reason) {
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> admin.v1().events().inNamespace(namespace).list().getItems().stream()
                        .anyMatch(event -> reason.equals(event.getReason())));
    }

    static int index(Pod pod) {
        return Integer.parseInt(pod.getMetadata().getLabels().get("batch.kubernetes.io/job-completion-index"));
    }

    /** A pod that no controller made. */
    Pod createPod(String namespace, String name, Map<String, String> labels, OwnerReference... owners) {
        return admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .withLabels(labels)
                        .withOwnerReferences(owners)
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("ranks")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    public PodSide side(URI service, Pod pod) {
        return new PodSide(http, service, ServiceAccountTokens.ofPod(admin, pod, LaunchApi.TOKEN_AUDIENCE));
    }

    public static PodReport report(int index, int launcher, int after, int ranks) {
        byte[] instance = new byte[16];
        instance[0] = (byte) index;
        instance[1] = (byte) launcher;
        return new PodReport(instance, after, new byte[] {10, 0, 0, (byte) index}, 27000, ranks, "0-3", "0", List.of());
    }

    /** The answer, which comes before the longest time that a server holds one. */
    public static HttpResponse<byte[]> now(CompletableFuture<HttpResponse<byte[]>> answer) throws Exception {
        return answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        http.shutdownNow();
        servers.forEach(OperatorProcess::close);
    }
}
