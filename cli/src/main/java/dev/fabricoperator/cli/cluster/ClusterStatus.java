/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.SourceStatus;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.File;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the fabrics of a cluster and the operator stand.
 *
 * @param programs of the operator, {@code null} where the caller may not list Deployments and DaemonSets
 * @param queryApi {@code Served}, {@code NotInstalled}, or {@code NotServed} where it is installed and does not answer
 * @param fabrics the default one first
 * @param problems what is wrong, the operator first, then fabric by fabric
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ClusterStatus(
        @Nullable List<Program> programs, String queryApi, List<FabricSummary> fabrics, List<Problem> problems) {
    private static final String LABEL = "app.kubernetes.io/part-of";
    private static final String OPERATOR = "fabric-operator";
    private static final String NEEDED = "list on fabrics of fabric-operator.dev";

    /**
     * A Deployment or DaemonSet of the operator.
     *
     * @param ready pods of it that are Ready
     * @param wanted how many there should be
     */
    public record Program(String namespace, String kind, String name, int ready, int wanted) {}

    /**
     * One fabric in short.
     *
     * @param ready status of the condition Ready
     * @param devices those that agents publish
     * @param unmanagedDevices those that only a topology source knows
     * @param findings how many there are
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FabricSummary(
            String name,
            ConditionStatus ready,
            @Nullable String kind,
            @Nullable String shape,
            @Nullable Integer devices,
            @Nullable Integer unmanagedDevices,
            @Nullable Integer hosts,
            @Nullable Integer switches,
            @Nullable Integer links,
            int planes,
            int findings,
            @Nullable Long generation,
            List<SourceStatus> sources) {}

    /**
     * Something that is wrong.
     *
     * @param object such as {@code fabric infiniband-0}
     * @param next what to do
     */
    public record Problem(String object, String reason, String message, String next) {}

    /** @param namespace of the operator */
    public static ClusterStatus read(@Nullable String context, @Nullable File kubeconfig, String namespace)
            throws Failure {
        try (KubernetesClient client = Connection.open(context, kubeconfig, "start a cluster")) {
            List<Fabric> fabrics;
            try {
                fabrics = client.resources(Fabric.class).list().getItems();
            } catch (KubernetesClientException e) {
                throw Connection.refused(client, e, NEEDED);
            }
            return of(fabrics, programs(client, namespace), queryApi(client));
        }
    }

    /** Of the operator's own namespace: whoever has another one labels what is in it as they like. */
    static @Nullable List<Program> programs(KubernetesClient client, String namespace) throws Failure {
        try {
            List<Program> programs = new ArrayList<>();
            for (Deployment one : client.apps()
                    .deployments()
                    .inNamespace(namespace)
                    .withLabel(LABEL, OPERATOR)
                    .list()
                    .getItems()) {
                Integer ready = one.getStatus() == null ? null : one.getStatus().getReadyReplicas();
                programs.add(new Program(
                        one.getMetadata().getNamespace(),
                        "Deployment",
                        one.getMetadata().getName(),
                        Objects.requireNonNullElse(ready, 0),
                        Objects.requireNonNullElse(one.getSpec().getReplicas(), 1)));
            }
            for (DaemonSet one : client.apps()
                    .daemonSets()
                    .inNamespace(namespace)
                    .withLabel(LABEL, OPERATOR)
                    .list()
                    .getItems()) {
                boolean known = one.getStatus() != null;
                programs.add(new Program(
                        one.getMetadata().getNamespace(),
                        "DaemonSet",
                        one.getMetadata().getName(),
                        known ? Objects.requireNonNullElse(one.getStatus().getNumberReady(), 0) : 0,
                        known ? Objects.requireNonNullElse(one.getStatus().getDesiredNumberScheduled(), 0) : 0));
            }
            programs.sort(Comparator.comparing(Program::kind, Comparator.reverseOrder())
                    .thenComparing(Program::name));
            return programs;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                return null;
            }
            throw Connection.refused(client, e, "list on deployments and daemonsets of apps in namespace " + namespace);
        }
    }

    private static String queryApi(KubernetesClient client) {
        try {
            return client.raw(QueryServer.ROOT) == null ? "NotInstalled" : "Served";
        } catch (KubernetesClientException e) {
            return e.getCode() == HttpURLConnection.HTTP_NOT_FOUND ? "NotInstalled" : "NotServed";
        }
    }

    static ClusterStatus of(List<Fabric> fabrics, @Nullable List<Program> programs, String queryApi) {
        List<Problem> problems = new ArrayList<>();
        if (programs != null) {
            operatorProblems(programs, problems);
        }
        if (queryApi.equals("NotServed")) {
            problems.add(new Problem(
                    "query API",
                    "NotServed",
                    "its APIService is there and nobody answers; namespaces cannot be deleted until that is over",
                    "kubectl get apiservice v1alpha1.query.fabric-operator.dev -o yaml"));
        }
        if (fabrics.isEmpty()) {
            problems.add(new Problem(
                    "cluster",
                    "NoFabric",
                    "there is no Fabric: no agent has published a device of one",
                    "kubectl get fabricdevices, and kubectl logs of the agents' DaemonSet"));
        }
        List<FabricSummary> summaries = new ArrayList<>();
        for (Fabric fabric :
                fabrics.stream().sorted(ClusterFabrics.DEFAULT_FIRST).toList()) {
            summaries.add(summary(fabric));
            fabricProblems(fabric, problems);
        }
        return new ClusterStatus(programs, queryApi, List.copyOf(summaries), List.copyOf(problems));
    }

    private static void operatorProblems(List<Program> programs, List<Problem> problems) {
        if (programs.stream().noneMatch(one -> one.kind().equals("Deployment"))) {
            problems.add(new Problem(
                    "operator",
                    "NotInstalled",
                    "no Deployment of its namespace is labelled " + LABEL + "=" + OPERATOR
                            + "; what is shown is what was written last",
                    "name the namespace with --namespace, or install the operator: docs/install.md"));
        }
        for (Program one : programs) {
            if (one.ready() < one.wanted()) {
                problems.add(new Problem(
                        one.kind().toLowerCase(Locale.ROOT) + " " + one.name(),
                        "NotReady",
                        one.ready() + " of " + one.wanted() + " pods are Ready",
                        "kubectl get pods -n " + one.namespace() + " -l " + LABEL + "=" + OPERATOR + " -o wide"));
            }
        }
    }

    private static FabricStatus status(Fabric fabric) {
        return fabric.getStatus() == null ? FabricStatusBuilder.builder().build() : fabric.getStatus();
    }

    private static FabricSummary summary(Fabric fabric) {
        FabricStatus status = status(fabric);
        return new FabricSummary(
                fabric.getMetadata().getName(),
                status.conditions().stream()
                        .filter(condition -> condition.type().equals("Ready"))
                        .map(Condition::status)
                        .findFirst()
                        .orElse(ConditionStatus.Unknown),
                status.kind() == null ? null : status.kind().name(),
                status.shapeString(),
                status.devices(),
                status.unmanagedDevices(),
                status.hosts(),
                status.switches(),
                status.links(),
                status.planes().size(),
                findings(status),
                status.generation(),
                status.sources());
    }

    private static int findings(FabricStatus status) {
        return Objects.requireNonNullElse(
                status.findingsTotal(), status.findings().size());
    }

    private static void fabricProblems(Fabric fabric, List<Problem> problems) {
        String name = fabric.getMetadata().getName();
        String object = "fabric " + name;
        FabricStatus status = status(fabric);
        if (status.conditions().isEmpty()) {
            problems.add(new Problem(
                    object,
                    "NoStatus",
                    "the operator has not written anything of it yet",
                    "is a controller running? kubectl get pods -A -l " + LABEL + "=" + OPERATOR));
        }
        boolean topologyUnknown = status.conditions().stream()
                .anyMatch(condition ->
                        condition.type().equals("TopologyKnown") && condition.status() != ConditionStatus.True);
        for (Condition condition : status.conditions()) {
            // Without switches nobody else can be told anything: the same for each of them, and TopologyKnown says what
            // to do.
            boolean follows = topologyUnknown && condition.reason().equals("NothingToTell");
            if (condition.tellsTrouble() && !condition.type().equals("Updating") && !follows) {
                problems.add(new Problem(
                        object, condition.reason(), condition.message(), NextStep.of(name, condition.reason())));
            }
        }
        for (SourceStatus source : status.sources()) {
            if (!topologyUnknown && !source.state().equals("SourceRead")) {
                problems.add(new Problem(
                        object + ", source " + source.name(),
                        source.state(),
                        Objects.requireNonNullElse(source.message(), "its last good switches stay"),
                        NextStep.of(name, source.state())));
            }
        }
        int findings = findings(status);
        if (findings > 0 && !status.findings().isEmpty()) {
            String first = status.findings().getFirst().message();
            problems.add(new Problem(
                    object,
                    "Findings",
                    findings == 1 ? first : findings + " findings, the first: " + first,
                    "kubectl fabric check --fabric " + name));
        }
    }
}
