/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.fabric;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.HostPreparation;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.NamedValue;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.Eventually;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Prepares nothing and writes down for what it was asked: there are no cards here that could be given a value. It has the rights of the sample, as one pod on each node, whose tokens are used
 * from here.
 */
final class RecordingPreparer implements AutoCloseable {
    private static final String NAMESPACE = "fabric-host-preparer";
    private static final String ACCOUNT = "fabric-host-preparer";
    private static final String RIGHTS = "config/samples/host-preparer/rights.yaml";

    private final Cluster cluster;
    private final String fabric;
    private final Map<String, KubernetesClient> byNode = new TreeMap<>();
    private final List<Pod> holders = new ArrayList<>();
    private final String since;
    private final Map<String, Preparation> recorded = new ConcurrentHashMap<>();

    /**
     * What was prepared for a pod.
     *
     * @param done a moment before it was told
     */
    record Preparation(String node, Map<String, String> values, Instant done) {}

    RecordingPreparer(Cluster cluster, String fabric, List<String> nodes) {
        this.cluster = cluster;
        this.fabric = fabric;
        Command.kubectl(cluster)
                .run(
                        "apply",
                        "--server-side",
                        "-f",
                        ProjectRoot.find().resolve(RIGHTS).toString());
        for (String node : nodes) {
            Pod holder = cluster.admin().resource(holder(node)).create();
            holders.add(holder);
            Config config = new ConfigBuilder(Config.empty())
                    .withMasterUrl(cluster.server())
                    .withCaCertData(cluster.authorityPem())
                    .withOauthToken(ServiceAccountTokens.ofPod(cluster.admin(), holder))
                    .build();
            byNode.put(node, new KubernetesClientBuilder().withConfig(config).build());
        }
        this.since = holders.getLast().getMetadata().getCreationTimestamp();
    }

    private static Pod holder(String node) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName("preparer-on-" + node)
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName(ACCOUNT)
                .withNodeName(node)
                .withTerminationGracePeriodSeconds(0L)
                .addNewContainer()
                .withName("preparer")
                .withImage(ProofImages.PLAIN)
                .withImagePullPolicy("Never")
                .withCommand("sleep", "600")
                .endContainer()
                .endSpec()
                .build();
    }

    /** Prepares the hosts of so many pods of a namespace, once that many wait. */
    void prepare(String namespace, int pods) {
        Eventually.eventually(() -> {
            List<Pod> waiting = unprepared(namespace);
            if (waiting.size() < pods) {
                throw new AssertionError(waiting.size() + " pods have a node");
            }
        });
        for (Pod pod : unprepared(namespace)) {
            String node = pod.getSpec().getNodeName();
            recorded.put(pod.getMetadata().getName(), new Preparation(node, values(of(node)), Instant.now()));
            tell(of(node), pod, "True", "");
        }
    }

    /** Pods that have been told nothing, on all nodes; not those that jobs of other tests have left. */
    List<Pod> unprepared(String namespace) {
        return byNode.entrySet().stream()
                .flatMap(each -> each
                        .getValue()
                        .pods()
                        .inNamespace(namespace)
                        .withLabel(LaunchApi.LAUNCH, LaunchApi.DIRECT)
                        .withField("spec.nodeName", each.getKey())
                        .list()
                        .getItems()
                        .stream())
                // RFC 3339, all of one zone: earlier is less.
                .filter(pod -> pod.getMetadata().getCreationTimestamp().compareTo(since) >= 0)
                .filter(pod -> pod.getStatus().getConditions().stream()
                        .noneMatch(condition -> condition.getType().equals(LaunchApi.HOST_PREPARED)))
                .toList();
    }

    /** The client of a node's preparer. */
    KubernetesClient of(String node) {
        return Objects.requireNonNull(byNode.get(node), node);
    }

    private Map<String, String> values(KubernetesClient client) {
        Map<String, String> values = new TreeMap<>();
        HostPreparation wanted = Objects.requireNonNull(client.resources(Fabric.class)
                .withName(fabric)
                .require()
                .getSpec()
                .hostPreparation());
        for (NamedValue each : wanted.device()) {
            values.put(each.name(), each.value());
        }
        return values;
    }

    /** Writes the condition as the document's own command does. */
    static void tell(KubernetesClient client, Pod pod, String status, String message) {
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), """
                        {"status": {"conditions": [{"type": "%s", "status": "%s", "message": "%s"}]}}
                        """.formatted(
                                LaunchApi.HOST_PREPARED, status, message));
    }

    /** By the name of the pod. */
    Map<String, Preparation> recorded() {
        return Map.copyOf(recorded);
    }

    @Override
    public void close() {
        byNode.values().forEach(KubernetesClient::close);
        holders.forEach(pod -> cluster.admin().resource(pod).delete());
        Command.kubectl(cluster)
                .run("delete", "-f", ProjectRoot.find().resolve(RIGHTS).toString());
    }
}
