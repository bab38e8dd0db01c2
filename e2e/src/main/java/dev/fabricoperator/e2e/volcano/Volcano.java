/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.volcano;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Volcano's scheduler and controllers as processes. Its webhooks do not run: a Job says all that they would add. */
public final class Volcano implements AutoCloseable {
    private static final String CUSTOM_RESOURCES = "volcano-controller-manager.crd.yaml";

    /** Where its controllers look for their settings. */
    private static final String NAMESPACE = "volcano-system";

    private final Cluster cluster;
    private final Path programs;
    private final Path directory;
    private final Starter starter;
    private final List<ServerProcess> servers = new ArrayList<>();

    /** Starts a program where it reaches the cluster. */
    @FunctionalInterface
    public interface Starter {
        ServerProcess start(String name, List<String> command);
    }

    private Volcano(Cluster cluster, Path programs, Path directory, Starter starter) {
        this.cluster = cluster;
        this.programs = programs;
        this.directory = directory;
        this.starter = starter;
    }

    /**
     * Not started.
     *
     * @param directory for settings and logs
     * @return empty where setup has not built it
     */
    public static Optional<Volcano> find(Cluster cluster, Path directory) {
        return find(
                cluster,
                directory,
                (name, command) -> ServerProcess.start(name, command, Map.of(), directory.resolve(name + ".log")));
    }

    /** The same, for a cluster whose API server not everybody reaches. */
    public static Optional<Volcano> find(Cluster cluster, Path directory, Starter starter) {
        return Assets.writtenBySetup("FABRIC_OPERATOR_VOLCANO")
                .map(programs -> new Volcano(cluster, Path.of(programs), directory, starter));
    }

    /** Makes its kinds known to the API server. */
    public void applyCustomResources() {
        Manifests.applyCustomResources(cluster.admin(), programs.resolve(CUSTOM_RESOURCES));
    }

    /**
     * Starts both programs, with the plugin for HyperNodes, which Volcano's own settings leave out.
     *
     * @param ofScheduler further arguments of the scheduler
     */
    public void start(String... ofScheduler) {
        startBoth("enqueue, allocate, backfill", "", "", ofScheduler);
    }

    /** The same, with a scheduler that takes nodes from Jobs for ones of higher priority. */
    public void startWithPreemption() {
        // The plugin gang would spare every gang that needs all of its pods; proportion lets nobody in while the queue
        // is full.
        startBoth("enqueue, allocate, preempt, backfill", ", enablePreemptable: false", ", enableJobEnqueued: false");
    }

    private void startBoth(String actions, String ofGang, String ofProportion, String... ofScheduler) {
        try {
            Path settings = Files.writeString(
                    directory.resolve("volcano-scheduler.yaml"), """
                    actions: "%s"
                    tiers:
                    - plugins:
                      - name: priority
                      - {name: gang%s}
                    - plugins:
                      - name: predicates
                      - {name: proportion%s}
                      - name: nodeorder
                      - name: network-topology-aware
                    """.formatted(actions, ofGang, ofProportion));
            List<String> arguments = new ArrayList<>(List.of("--scheduler-conf=" + settings, "--cache-dumper=false"));
            arguments.addAll(List.of(ofScheduler));
            launch("volcano-scheduler", arguments.toArray(String[]::new));
            launch("volcano-controller-manager");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write Volcano's settings", e);
        }
    }

    /**
     * Lets its controllers make HyperNodes of labels of Nodes.
     *
     * @param labels from the whole to the nearest
     */
    public void discoverByLabels(List<String> labels) {
        StringBuilder settings = new StringBuilder("""
                networkTopologyDiscovery:
                - source: label
                  enabled: true
                  config:
                    networkTopologyTypes:
                      fabric:
                """);
        for (String label : labels) {
            settings.append("      - nodeLabel: ").append(label).append('\n');
        }
        // It leaves out the last, which is to be that of the node.
        settings.append("      - nodeLabel: kubernetes.io/hostname\n");
        KubernetesClient admin = cluster.admin();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("volcano-controller-configmap")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToData("volcano-controller.conf", settings.toString())
                        .build())
                .create();
    }

    private void launch(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                programs.resolve(program).toString(), "--kubeconfig=" + cluster.kubeconfig(), "--leader-elect=false"));
        command.addAll(List.of(arguments));
        servers.add(starter.start(program, command));
    }

    /** The HyperNodes of the cluster, by name. */
    public Map<String, GenericKubernetesResource> hyperNodes() {
        Map<String, GenericKubernetesResource> byName = new TreeMap<>();
        hyperNodeResources()
                .list()
                .getItems()
                .forEach(object -> byName.put(object.getMetadata().getName(), object));
        return byName;
    }

    public MixedOperation<GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            hyperNodeResources() {
        return cluster.admin().genericKubernetesResources("topology.volcano.sh/v1alpha1", "HyperNode");
    }

    /**
     * Creates a Job whose pods need a node each.
     *
     * @param topology in YAML, as {@code {mode: hard, highestTierAllowed: 1}}; empty for a gang that asks for none
     */
    public void createGang(String namespace, String name, int pods, String topology) {
        KubernetesClient admin = cluster.admin();
        String manifest =
                """
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {namespace: %s, name: %s}
                spec:
                  schedulerName: volcano
                  queue: default
                  minAvailable: %d
                  %s
                  tasks:
                  - name: worker
                    replicas: %3$d
                    template:
                      spec:
                        restartPolicy: Never
                        # A new Node has a taint, which the controllers that do not run here would take away.
                        tolerations: [{operator: Exists}]
                        containers:
                        - {name: worker, image: none, resources: {requests: {cpu: "3"}}}
                """.formatted(namespace, name, pods, topology.isEmpty() ? "" : "networkTopology: " + topology);
        admin.load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    /** A pod that is on a node already and leaves no room for one of a gang. */
    public static Pod boundPod(String name, String node) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .addNewContainer()
                .withName("busy")
                .withImage("none")
                .withNewResources()
                .addToRequests("cpu", new Quantity("3"))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    /** The nodes of a Job's pods, ascending; of a pod without one nothing. */
    public List<String> nodesOf(String namespace, String job) {
        return podsOf(namespace, job).stream()
                .map(pod -> pod.getSpec().getNodeName())
                .filter(node -> node != null && !node.isEmpty())
                .sorted()
                .toList();
    }

    private List<Pod> podsOf(String namespace, String job) {
        return cluster.admin()
                .pods()
                .inNamespace(namespace)
                .withLabel("volcano.sh/job-name", job)
                .list()
                .getItems();
    }

    /** Deletes a Job, its pods, which no kubelet ends, and its PodGroup, which no garbage collector takes and which would hold a share of the queue. */
    public void delete(String namespace, String job) {
        cluster.admin()
                .genericKubernetesResources("batch.volcano.sh/v1alpha1", "Job")
                .inNamespace(namespace)
                .withName(job)
                .delete();
        var groups = cluster.admin()
                .genericKubernetesResources("scheduling.volcano.sh/v1beta1", "PodGroup")
                .inNamespace(namespace);
        groups.list().getItems().stream()
                .filter(group -> group.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> owner.getName().equals(job)))
                .forEach(group -> groups.resource(group).delete());
        cluster.admin()
                .pods()
                .inNamespace(namespace)
                .withLabel("volcano.sh/job-name", job)
                .withGracePeriod(0)
                .delete();
    }

    /** The ends of the logs. */
    public String logs() {
        return String.join("\n", servers.stream().map(ServerProcess::logTail).toList());
    }

    @Override
    public void close() {
        servers.forEach(ServerProcess::kill);
    }
}
