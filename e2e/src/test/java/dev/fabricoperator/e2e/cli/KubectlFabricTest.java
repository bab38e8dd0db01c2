/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class KubectlFabricTest {
    private static final Path ROOT = ProjectRoot.find();
    private static final Path PROGRAM = ROOT.resolve("cli/target/kubectl-fabric");
    private static final Path DUMP = ROOT.resolve("fixtures/sim/ft2-128/ibnetdiscover.txt.gz");
    private static final Path SHORTER = ROOT.resolve("fixtures/fabric/ib-mixed-lab-nvidia/ibnetdiscover.txt");

    @TempDir
    Path directory = Path.of("");

    private record Result(int exitCode, String out, String err) {}

    @AfterEach
    void deleteUploads(KubernetesClient client, @ClassNamespace String namespace) {
        client.configMaps()
                .inNamespace(namespace)
                .withLabel(FabricApi.LABEL_TOPOLOGY)
                .delete();
    }

    @Test
    void partsOfAnUploadMakeUpTheDump(Cluster cluster, KubernetesClient client, @ClassNamespace String namespace)
            throws IOException {
        CommandLineProgram.Result result = new CommandLineProgram(directory)
                .run(words(cluster, namespace, DUMP, "--name", "compute", "--part-bytes", "2000"));

        assertThat(result.exitCode()).as(result.err()).isZero();
        List<ConfigMap> parts = parts(client, namespace, "compute");
        assertThat(parts).hasSizeGreaterThan(2).hasSize(lines(result.out(), " applied "));
        assertThat(result.out()).contains("kubectl get fabrics");
        byte[] text = unpacked(Files.readAllBytes(DUMP));
        for (int i = 0; i < parts.size(); i++) {
            ConfigMap part = parts.get(i);
            assertThat(part.getMetadata().getName()).isEqualTo("compute-" + (i + 1));
            assertThat(part.getMetadata().getLabels()).containsEntry(FabricApi.LABEL_TOPOLOGY, "ibnetdiscover");
            assertThat(part.getMetadata().getAnnotations())
                    .containsEntry(FabricApi.ANNOTATION_PART, Integer.toString(i + 1))
                    .containsEntry(FabricApi.ANNOTATION_PARTS, Integer.toString(parts.size()))
                    .containsEntry(FabricApi.ANNOTATION_DIGEST, sha256(text))
                    .containsEntry(FabricApi.ANNOTATION_FILE, DUMP.toString());
            assertThat(part.getMetadata().getManagedFields())
                    .extracting(m -> m.getManager() + "/" + m.getOperation())
                    .containsExactly("kubectl-fabric/Apply");
        }
        assertThat(joined(parts)).isEqualTo(text);
    }

    @Test
    void aShorterUploadLeavesNoPartOfTheLongerOne(
            Cluster cluster, KubernetesClient client, @ClassNamespace String namespace) throws IOException {
        ConfigMap foreign = client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("compute-notes")
                        .withNamespace(namespace)
                        .addToLabels(FabricApi.LABEL_TOPOLOGY, "ibnetdiscover")
                        .addToLabels(FabricApi.LABEL_SOURCE, "compute")
                        .endMetadata()
                        .build())
                .create();
        upload(cluster, namespace, DUMP, "--name", "compute", "--part-bytes", "2000");
        int before = parts(client, namespace, "compute").size();
        upload(cluster, namespace, DUMP, "--name", "storage", "--part-bytes", "2000");

        CommandLineProgram.Result result = upload(cluster, namespace, SHORTER, "--name", "compute");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(lines(result.out(), " deleted ")).isEqualTo(before - 1);
        assertThat(parts(client, namespace, "compute")).hasSize(1);
        assertThat(joined(parts(client, namespace, "compute"))).isEqualTo(Files.readAllBytes(SHORTER));
        assertThat(parts(client, namespace, "storage")).hasSize(before);
        assertThat(client.resource(foreign).get()).isNotNull();
    }

    @Test
    void anUploadThatChangesNothingWritesNothing(
            Cluster cluster, KubernetesClient client, @ClassNamespace String namespace) throws IOException {
        upload(cluster, namespace, SHORTER);
        List<String> first = versions(parts(client, namespace, "ibnetdiscover"));

        upload(cluster, namespace, SHORTER);

        assertThat(versions(parts(client, namespace, "ibnetdiscover")))
                .isEqualTo(first)
                .hasSize(1);
    }

    @Test
    void refusalsOfTheServerAreToldWithWhatToDo(Cluster cluster, @ClassNamespace String namespace) throws IOException {
        CommandLineProgram.Result result = upload(cluster, "no-such-namespace", SHORTER);
        CommandLineProgram.Result broken =
                upload(cluster, namespace, Files.writeString(directory.resolve("broken.txt"), "nonsense\n"));

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("error: https://")
                .contains("namespaces \"no-such-namespace\" not found; create the namespace")
                .hasLineCount(1);
        assertThat(broken.exitCode()).isEqualTo(3);
    }

    @Test
    void anUploadOfAnotherFabricIsReplacedOnlyWhereItIsNamed(
            Cluster cluster, KubernetesClient client, @ClassNamespace String namespace) throws IOException {
        Path fixtures = Path.of(System.getProperty("projectRoot"), "fixtures");
        Path leaf = Files.copy(fixtures.resolve("lldp/lldpd-1.0.16-clos/leaf01.json"), directory.resolve("net.json"));
        Path dump = Files.copy(
                fixtures.resolve("fabric/ib-qdr-fdr10-rocket/ibnetdiscover.txt"), directory.resolve("net.txt"));

        CommandLineProgram.Result first = upload(cluster, namespace, leaf);
        CommandLineProgram.Result again = upload(cluster, namespace, leaf);
        CommandLineProgram.Result other = upload(cluster, namespace, dump);

        assertThat(List.of(first.exitCode(), again.exitCode())).containsOnly(0);
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err())
                .contains("'net' is an upload of " + leaf)
                .contains("--name net replaces it, any other name keeps both");
        assertThat(client.configMaps()
                        .inNamespace(namespace)
                        .withName("net-1")
                        .get()
                        .getMetadata()
                        .getLabels())
                .as("told by the content")
                .containsEntry(FabricApi.LABEL_TOPOLOGY, "lldp");
        assertThat(upload(cluster, namespace, dump, "--name", "net").exitCode()).isZero();
        assertThat(parts(client, namespace, "net")).isNotEmpty();
    }

    @Test
    void kubectlRunsAndCompletesThePlugin(Cluster cluster) throws IOException {
        Files.createSymbolicLink(directory.resolve("kubectl-fabric"), PROGRAM);
        Path completer = directory.resolve("kubectl_complete-fabric");
        Files.writeString(
                completer,
                run(List.of(PROGRAM.toString(), "completion", "kubectl")).out());
        assertThat(completer.toFile().setExecutable(true)).isTrue();
        String kubectl = cluster.kubectl().toString();

        Result version = run(List.of(kubectl, "fabric", "--version"));
        Result commands = run(List.of(kubectl, "__complete", "fabric", "top"));
        Result formats = run(List.of(kubectl, "__complete", "fabric", "topology", "-o", ""));

        assertThat(version.out()).startsWith("kubectl-fabric ");
        assertThat(commands.out()).startsWith("topology\n:4\n");
        assertThat(formats.out()).startsWith("table\nwide\njson\nyaml\nname\n:4\n");
    }

    private static CommandLineProgram.Result upload(Cluster cluster, String namespace, Path dump, String... more) {
        return CommandLineProgram.inProcess(words(cluster, namespace, dump, more));
    }

    private static List<String> words(Cluster cluster, String namespace, Path dump, String... more) {
        List<String> words = new ArrayList<>(List.of("upload", dump.toString(), "--namespace", namespace));
        words.addAll(List.of(more));
        return CommandLineProgram.onCluster(cluster, words);
    }

    private Result run(List<String> command) throws IOException {
        assertThat(PROGRAM).as("built by ./mvnw -pl cli -am package").isExecutable();
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().merge("PATH", directory.toString(), (path, ours) -> ours + ":" + path);
        Process process = builder.start();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("does not end: " + command);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static List<ConfigMap> parts(KubernetesClient client, String namespace, String name) {
        return client
                .configMaps()
                .inNamespace(namespace)
                .withLabel(FabricApi.LABEL_SOURCE, name)
                .withLabel(FabricApi.LABEL_TOPOLOGY, "ibnetdiscover")
                .list()
                .getItems()
                .stream()
                .filter(part ->
                        part.getBinaryData() != null && part.getBinaryData().containsKey(FabricApi.UPLOAD_KEY))
                .sorted(Comparator.comparingInt(part ->
                        Integer.parseInt(part.getMetadata().getAnnotations().get(FabricApi.ANNOTATION_PART))))
                .toList();
    }

    private static List<String> versions(List<ConfigMap> parts) {
        return parts.stream().map(p -> p.getMetadata().getResourceVersion()).toList();
    }

    private static byte[] joined(List<ConfigMap> parts) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (ConfigMap part : parts) {
            packed.writeBytes(Base64.getDecoder().decode(part.getBinaryData().get(FabricApi.UPLOAD_KEY)));
        }
        return unpacked(packed.toByteArray());
    }

    private static byte[] unpacked(byte[] packed) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    private static String sha256(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int lines(String text, String with) {
        return Math.toIntExact(text.lines().filter(line -> line.contains(with)).count());
    }
}
