/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.e2e.system.CommandFailedException;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The chart as earlier commits had it, upgraded to this one and rolled back, by each Helm, on a real API server, with {@code caBundle} of the webhooks as the controller writes it.
 * No node is there: what runs stays what it was said to be, and no program of the operator, of then or of now, takes part.
 */
@WithControlPlane(own = true)
@Tag("long")
class EarlierChartsTest {
    private static final String RELEASE = "fabric-operator";
    private static final String NAMESPACE = "fabric-operator";
    private static final String ELSEWHERE = "elsewhere";
    /** What people, agents and servers have written, and pods that run. */
    private static final String WRITTEN = "fabrics,fabricdevices,fabricjobs.fabric-operator.dev,jobs.batch,pods";

    private final KubernetesClient admin;
    private final Cluster cluster;
    private final Command kubectl;
    private final Webhooks webhooks;

    @TempDir
    Path directory;

    EarlierChartsTest(Cluster cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.kubectl = Command.kubectl(cluster);
        this.webhooks = new Webhooks(cluster);
    }

    static Stream<Arguments> statesAndHelms() throws IOException {
        try (var file = Objects.requireNonNull(EarlierChartsTest.class.getResourceAsStream("/earlier-states.txt"))) {
            List<String> commits = new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            return commits.stream()
                    .flatMap(commit -> Stream.of(Helm.Version.values()).map(helm -> Arguments.of(commit, helm)));
        }
    }

    @AfterEach
    void removeEverything() {
        for (String namespace : List.of(NAMESPACE, ELSEWHERE)) {
            Helm.Version.V4.of(cluster).run("uninstall", RELEASE, "--namespace", namespace, "--ignore-not-found");
        }
        kubectl.run("delete", "jobs,pods", "--all", "--namespace", "work", "--grace-period=0", "--force");
        kubectl.run("delete", "crd", "--all", "--wait=false");
        int[] looks = new int[1];
        eventually(() -> {
            String left = kubectl.run("get", "crd", "-o", "name");
            if (!left.isEmpty()) {
                // See ChartInstallTest.
                kubectl.run("annotate", "crd", "--all", "--overwrite", "looked-at=" + looks[0]++);
            }
            assertThat(left).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("statesAndHelms")
    void upgradesRollbacksAndMovesLeaveWhatRuns(String commit, Helm.Version version) throws IOException {
        Command helm = version.of(cluster);
        Path before = chartOf(commit);
        runJob();
        helm.run("install", RELEASE, before.toString(), "--namespace", NAMESPACE, "--create-namespace");
        Manifests.awaitResources(admin);
        writeObjects();
        String written = written();
        Set<String> earlier = installed(helm, NAMESPACE);
        webhooks.trust();
        Map<String, String> trusted = webhooks.trusted();

        helm.run("upgrade", RELEASE, Helm.chart().toString(), "--namespace", NAMESPACE);
        Set<String> now = installed(helm, NAMESPACE);
        Path newer = manifest(helm, NAMESPACE, "newer.yaml");
        assertThat(now).as("the chart has changed since").isNotEqualTo(earlier);
        assertThat(written()).isEqualTo(written);
        webhooks.trust();

        helm.run("rollback", RELEASE, "1", "--namespace", NAMESPACE);
        assertThat(installed(helm, NAMESPACE)).isEqualTo(earlier);
        assertThat(earlier).as("what only the newer one had is gone").containsAll(present(newer));
        assertThat(written()).isEqualTo(written);
        webhooks.trust();
        assertThat(webhooks.trusted()).isEqualTo(trusted);

        helm.run("upgrade", RELEASE, Helm.chart().toString(), "--namespace", NAMESPACE);
        assertThat(installed(helm, NAMESPACE)).isEqualTo(now);
        assertThat(written()).isEqualTo(written);

        helm.run("uninstall", RELEASE, "--namespace", NAMESPACE);
        assertThat(present(newer)).hasSize(4).allMatch(object -> object.startsWith("CustomResourceDefinition "));
        assertThat(written()).isEqualTo(written);

        helm.run(
                "install",
                RELEASE,
                Helm.chart().toString(),
                "--namespace",
                ELSEWHERE,
                "--create-namespace",
                "--take-ownership");
        assertThat(installed(helm, ELSEWHERE)).hasSameSizeAs(now);
        assertThat(written()).isEqualTo(written);
    }

    /** From the repository's history, whose chart may hold a link. */
    private Path chartOf(String commit) {
        Command git = new Command(List.of("git", "-C", ProjectRoot.find().toString()), Map.of());
        try {
            git.run("cat-file", "-e", commit + "^{commit}");
        } catch (CommandFailedException e) {
            Assumptions.abort("the history of this clone does not reach back to " + commit
                    + ": \"git fetch --unshallow\" brings it");
        }
        Path archive = directory.resolve("state.tar");
        git.run("archive", "--output", archive.toString(), commit, "charts", "config");
        new Command(List.of("tar"), Map.of())
                .run("--extract", "--file", archive.toString(), "--directory", directory.toString());
        return directory.resolve("charts/fabric-operator");
    }

    private void runJob() {
        apply("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: work, labels: {fabric-operator.dev/injection: enabled}}
                """);
        // Else the controller manager makes it.
        apply("""
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: default, namespace: work}
                """);
        apply("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: ring-0
                  namespace: work
                  labels: {fabric-operator.dev/launch: direct}
                  annotations: {fabric-operator.dev/launch: direct}
                spec:
                  nodeName: n1
                  automountServiceAccountToken: false
                  containers: [{name: fabric-pmixd, image: pmixd}, {name: ring, image: ring}]
                """);
        kubectl.run(
                "patch",
                "pod",
                "ring-0",
                "--namespace",
                "work",
                "--subresource=status",
                "--patch",
                "{\"status\": {\"phase\": \"Running\"}}");
        apply("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: ring, namespace: work}
                spec:
                  template:
                    metadata: {annotations: {fabric-operator.dev/launch: direct}}
                    spec: {restartPolicy: Never, containers: [{name: ring, image: ring}]}
                """);
    }

    private void writeObjects() {
        apply("""
                apiVersion: fabric-operator.dev/v1alpha1
                kind: Fabric
                metadata: {name: rails}
                """);
        apply("""
                apiVersion: fabric-operator.dev/v1alpha1
                kind: FabricDevice
                metadata: {name: n1-mlx5-0-1}
                spec: {nodeName: n1, osName: mlx5_0, port: 1, deviceId: "fab://1", type: OpenFabrics, family: InfiniBand}
                """);
        apply("""
                apiVersion: fabric-operator.dev/v1alpha1
                kind: FabricJob
                metadata: {name: ring, namespace: work}
                spec: {apps: [{name: ring, pods: 1, ranksPerPod: 1}]}
                """);
        kubectl.run(
                "patch",
                "fabricjob",
                "ring",
                "--namespace",
                "work",
                "--subresource=status",
                "--type=merge",
                "--patch",
                "{\"status\": {\"phase\": \"Running\", \"attempt\": 0, \"size\": 1, \"nodes\": 1}}");
    }

    private void apply(String yaml) {
        try {
            kubectl.run(
                    "apply",
                    "--server-side",
                    "-f",
                    Files.writeString(directory.resolve("object.yaml"), yaml).toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each with its UID and version: nobody has made one anew, or written to it. */
    private String written() {
        return kubectl.run(
                "get",
                WRITTEN,
                "--all-namespaces",
                "-o",
                "jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid} {.metadata.resourceVersion} {.status.phase}{\"\\n\"}{end}");
    }

    /** What the release says that it has; every object of it is there. */
    private Set<String> installed(Command helm, String namespace) throws IOException {
        Path manifest = manifest(helm, namespace, "manifest.yaml");
        Set<String> names = present(manifest);
        assertThat(names)
                .hasSameSizeAs(RenderedObjects.of(Files.readString(manifest)).keySet());
        return names;
    }

    private Path manifest(Command helm, String namespace, String file) throws IOException {
        return Files.writeString(
                directory.resolve(file), helm.run("get", "manifest", RELEASE, "--namespace", namespace));
    }

    /** Kind, namespace and name of those of a manifest that are there. */
    private Set<String> present(Path manifest) {
        return kubectl.run(
                        "get",
                        "-f",
                        manifest.toString(),
                        "--ignore-not-found",
                        "-o",
                        "jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}")
                .lines()
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
