/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.kueue;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.operator.Manifests;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceConversionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Kueue's manager as a process. Its webhooks are not called: Jobs are made as they would leave them, suspended. Nothing runs the
 * Jobs: to which nodes Kueue assigns them is all that is looked at.
 */
public final class Kueue implements AutoCloseable {
    private static final String CUSTOM_RESOURCES = "kueue.crd.yaml";
    private static final String NAMESPACE = "kueue-system";
    private static final String CERTIFICATE = "kueue-webhook-server-cert";
    private static final Duration LIMIT = Duration.ofMinutes(4);
    /** It begins when their conversion trusts it. All that is stored is of the version that is asked for, so that none is converted. */
    private static final List<String> CONVERTED =
            List.of("localqueues", "clusterqueues", "workloads", "cohorts", "multikueueclusters");

    private final Cluster cluster;
    private final Path programs;
    private final Path directory;
    private @Nullable ServerProcess server;

    private Kueue(Cluster cluster, Path programs, Path directory) {
        this.cluster = cluster;
        this.programs = programs;
        this.directory = directory;
    }

    /**
     * Not started.
     *
     * @param directory for settings and logs
     * @return empty where setup has not built it
     */
    public static Optional<Kueue> find(Cluster cluster, Path directory) {
        return Assets.writtenBySetup("FABRIC_OPERATOR_KUEUE")
                .map(programs -> new Kueue(cluster, Path.of(programs), directory));
    }

    /** Makes its kinds known to the API server. */
    public void applyCustomResources() {
        Manifests.applyCustomResources(cluster.admin(), programs.resolve(CUSTOM_RESOURCES));
    }

    /** Starts it; its kinds are there. */
    public void start() {
        KubernetesClient admin = cluster.admin();
        int port = Ports.free();
        for (String kind : CONVERTED) {
            admin.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(kind + ".kueue.x-k8s.io")
                    .edit(definition -> {
                        definition
                                .getSpec()
                                .setConversion(new CustomResourceConversionBuilder()
                                        .withStrategy("Webhook")
                                        .withNewWebhook()
                                        .withConversionReviewVersions("v1")
                                        .withNewClientConfig()
                                        .withUrl("https://127.0.0.1:" + port + "/convert")
                                        .endClientConfig()
                                        .endWebhook()
                                        .build());
                        return definition;
                    });
        }
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        admin.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName(CERTIFICATE)
                        .endMetadata()
                        .build())
                .create();
        try {
            Path certificates = Files.createDirectory(directory.resolve("kueue-certificates"));
            Path settings =
                    Files.writeString(directory.resolve("kueue.yaml"), """
                    apiVersion: config.kueue.x-k8s.io/v1beta2
                    kind: Configuration
                    namespace: %s
                    leaderElection: {leaderElect: false}
                    health: {healthProbeBindAddress: "0"}
                    metrics: {bindAddress: "0"}
                    webhook: {host: 127.0.0.1, port: %d, certDir: %s}
                    featureGates: {VisibilityOnDemand: false}
                    integrations: {frameworks: [batch/job]}
                    """.formatted(NAMESPACE, port, certificates));
            ServerProcess started = ServerProcess.start(
                    "kueue",
                    List.of(programs.resolve("kueue").toString(), "--config=" + settings),
                    Map.of("KUBECONFIG", cluster.kubeconfig().toString()),
                    directory.resolve("kueue.log"));
            server = started;
            started.awaitReady(() -> hasCertificate(admin), LIMIT);
            // As a kubelet would mount it.
            for (String file : List.of("tls.key", "tls.crt")) {
                Files.write(
                        certificates.resolve(file),
                        Base64.getDecoder().decode(secret(admin).getData().get(file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write Kueue's settings", e);
        }
    }

    private static Secret secret(KubernetesClient admin) {
        return admin.secrets().inNamespace(NAMESPACE).withName(CERTIFICATE).require();
    }

    private static boolean hasCertificate(KubernetesClient admin) {
        Map<String, String> data = secret(admin).getData();
        return data != null && data.containsKey("tls.crt") && data.containsKey("tls.key");
    }

    /** The Topologies of the cluster, by name. */
    public Map<String, GenericKubernetesResource> topologies() {
        Map<String, GenericKubernetesResource> byName = new TreeMap<>();
        cluster.admin()
                .genericKubernetesResources("kueue.x-k8s.io/v1beta2", "Topology")
                .list()
                .getItems()
                .forEach(object -> byName.put(object.getMetadata().getName(), object));
        return byName;
    }

    /** Makes a queue in a namespace for the nodes of a Topology. */
    public void createQueue(String namespace, String name, String topology, String fabricLabel) {
        create("""
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: ResourceFlavor
                metadata: {name: %2$s}
                spec:
                  nodeLabels: {fabric-operator.dev/fabric: %4$s}
                  topologyName: %3$s
                ---
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: ClusterQueue
                metadata: {name: %2$s}
                spec:
                  namespaceSelector: {}
                  resourceGroups:
                  - coveredResources: [cpu]
                    flavors:
                    - name: %2$s
                      resources: [{name: cpu, nominalQuota: 1000}]
                ---
                apiVersion: kueue.x-k8s.io/v1beta2
                kind: LocalQueue
                metadata: {namespace: %1$s, name: %2$s}
                spec: {clusterQueue: %2$s}
                """.formatted(namespace, name, topology, fabricLabel));
    }

    /**
     * Creates a Job whose pods need a node each.
     *
     * @param annotation of the pods' template: which topology is asked for
     * @param tier the label's key
     */
    public void createJob(String namespace, String name, String queue, int pods, String annotation, String tier) {
        create("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  namespace: %s
                  name: %s
                  labels: {kueue.x-k8s.io/queue-name: %s}
                spec:
                  suspend: true
                  parallelism: %4$d
                  completions: %4$d
                  template:
                    metadata:
                      annotations: {%5$s: %6$s}
                    spec:
                      restartPolicy: Never
                      # A new Node has a taint, which the controllers that do not run here would take away.
                      tolerations: [{operator: Exists}]
                      containers:
                      - {name: worker, image: none, resources: {requests: {cpu: "3"}}}
                """.formatted(namespace, name, queue, pods, annotation, tier));
    }

    private void create(String manifest) {
        cluster.admin()
                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    /** The nodes to which a Job's Workload is assigned, ascending; none where it is not admitted. */
    public List<String> nodesOf(String namespace, String job) {
        List<String> nodes = new ArrayList<>();
        for (GenericKubernetesResource workload : workloads(namespace, job)) {
            List<?> sets = workload.get("status", "admission", "podSetAssignments");
            for (Object set : Objects.requireNonNullElse(sets, List.of())) {
                if (set instanceof Map<?, ?> fields
                        && fields.get("topologyAssignment") instanceof Map<?, ?> assignment
                        && assignment.get("slices") instanceof List<?> slices) {
                    slices.forEach(slice -> addNodes((Map<?, ?>) slice, nodes));
                }
            }
        }
        nodes.sort(null);
        return nodes;
    }

    /** The last level is the host name's. */
    private static void addNodes(Map<?, ?> slice, List<String> nodes) {
        Map<?, ?> level = (Map<?, ?>) ((List<?>) Objects.requireNonNull(slice.get("valuesPerLevel"))).getLast();
        if (level.get("universal") != null) {
            nodes.add(String.valueOf(level.get("universal")));
        } else if (level.get("individual") instanceof Map<?, ?> individual) {
            for (Object root : (List<?>) Objects.requireNonNull(individual.get("roots"))) {
                nodes.add(part(individual, "prefix") + root + part(individual, "suffix"));
            }
        }
    }

    private static String part(Map<?, ?> individual, String name) {
        Object part = individual.get(name);
        return part == null ? "" : String.valueOf(part);
    }

    private List<GenericKubernetesResource> workloads(String namespace) {
        return cluster.admin()
                .genericKubernetesResources("kueue.x-k8s.io/v1beta2", "Workload")
                .inNamespace(namespace)
                .list()
                .getItems();
    }

    /** For settings and logs. */
    public Path directory() {
        return directory;
    }

    /** Takes their nodes from the Jobs of a queue and admits no other, or admits them again. */
    public void stopQueue(String name, boolean stopped) {
        cluster.admin()
                .genericKubernetesResources("kueue.x-k8s.io/v1beta2", "ClusterQueue")
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\": {\"stopPolicy\": \"%s\"}}".formatted(stopped ? "HoldAndDrain" : "None"));
    }

    /** Deletes what {@link #createQueue} has made. */
    public void deleteQueue(String namespace, String name) {
        KubernetesClient admin = cluster.admin();
        admin.genericKubernetesResources("kueue.x-k8s.io/v1beta2", "LocalQueue")
                .inNamespace(namespace)
                .withName(name)
                .delete();
        for (String kind : List.of("ClusterQueue", "ResourceFlavor")) {
            admin.genericKubernetesResources("kueue.x-k8s.io/v1beta2", kind)
                    .withName(name)
                    .delete();
        }
    }

    /** Whether any of it is still there. */
    public boolean hasQueue(String name) {
        return List.of("ClusterQueue", "ResourceFlavor").stream()
                .anyMatch(kind -> cluster.admin()
                                .genericKubernetesResources("kueue.x-k8s.io/v1beta2", kind)
                                .withName(name)
                                .get()
                        != null);
    }

    /** Lets the levels of a Topology be changed, by the rule that the CustomResourceDefinition has from 0.20 on. */
    public void letLevelsBeChanged() {
        cluster.admin()
                .apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName("topologies.kueue.x-k8s.io")
                .edit(definition -> {
                    definition.getSpec().getVersions().stream()
                            .filter(version -> version.getName().equals("v1beta2"))
                            .map(version -> version.getSchema().getOpenAPIV3Schema())
                            .flatMap(schema -> rules(property(property(schema, "spec"), "levels")))
                            .filter(rule -> rule.getRule().equals("self == oldSelf"))
                            .forEach(rule -> rule.setRule("self == oldSelf || (%s && %s)"
                                    .formatted(lowestIsTheHost("self"), lowestIsTheHost("oldSelf"))));
                    return definition;
                });
    }

    private static String lowestIsTheHost(String levels) {
        return "%1$s[size(%1$s) - 1].nodeLabel == 'kubernetes.io/hostname'".formatted(levels);
    }

    private static JSONSchemaProps property(JSONSchemaProps schema, String name) {
        return Objects.requireNonNull(schema.getProperties().get(name));
    }

    private static Stream<ValidationRule> rules(JSONSchemaProps schema) {
        return schema.getXKubernetesValidations().stream();
    }

    /** Deletes a Job, and its Workload, which no garbage collector takes. */
    public void delete(String namespace, String job) {
        List<GenericKubernetesResource> ofJob = workloads(namespace, job);
        cluster.admin().batch().v1().jobs().inNamespace(namespace).withName(job).delete();
        ofJob.forEach(workload -> cluster.admin().resource(workload).delete());
    }

    /** Whether a Workload of a Job is there. */
    public boolean hasWorkload(String namespace, String job) {
        return !workloads(namespace, job).isEmpty();
    }

    private List<GenericKubernetesResource> workloads(String namespace, String job) {
        return workloads(namespace).stream()
                .filter(workload -> workload.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> owner.getName().equals(job)))
                .toList();
    }

    /** What Kueue says of each Workload of a namespace, for the message of a test that fails. */
    public String statuses(String namespace) {
        return String.join(
                "\n",
                workloads(namespace).stream()
                        .map(workload -> workload.getMetadata().getName() + ": "
                                + workload.getAdditionalProperties().get("status"))
                        .toList());
    }

    /** The end of the log. */
    public String log() {
        return server == null ? "" : server.logTail();
    }

    @Override
    public void close() {
        if (server != null) {
            server.kill();
        }
    }
}
