/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code make release} gives krew, unpacked and linked as krew does; krew itself is not on a test machine. */
@Tag("long")
class CommandArchivesTest {
    private static final Path ROOT = ProjectRoot.find();

    @TempDir
    private static Path release;

    private record Ended(int code, String output) {}

    @BeforeAll
    static void makeThem() throws Exception {
        Ended made = run(Map.of(), ROOT.resolve("scripts/command-archives.sh").toString(), release.toString(), "1.2.3");
        assertThat(made.code()).as(made.output()).isZero();
    }

    private static List<JsonNode> platforms() throws IOException {
        JsonNode manifest = Serialization.unmarshal(Files.readString(release.resolve("fabric.yaml")), JsonNode.class);
        assertThat(manifest.at("/spec/version").asText()).isEqualTo("v1.2.3");
        List<JsonNode> platforms = new ArrayList<>();
        manifest.at("/spec/platforms").forEach(platforms::add);
        return platforms;
    }

    @Test
    void theManifestNamesArchivesByTheirDigests() throws Exception {
        assertThat(platforms()).hasSize(2);
        for (JsonNode platform : platforms()) {
            Path archive = release.resolve(Path.of(platform.get("uri").asText()).getFileName());
            assertThat(platform.get("sha256").asText())
                    .isEqualTo(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(archive))));
        }
    }

    @Test
    void theArchiveOfThisPlatformRunsByALinkWithTheJavaThatItBrings(@TempDir Path store) throws Exception {
        String archive = Path.of(platforms().getFirst().get("uri").asText())
                .getFileName()
                .toString();
        assertThat(run(Map.of(), "tar", "-xzf", release.resolve(archive).toString(), "-C", store.toString())
                        .code())
                .isZero();
        Path link = Files.createSymbolicLink(store.resolve("kubectl-fabric-link"), store.resolve("kubectl-fabric"));
        Map<String, String> nothing =
                Map.of("XDG_CACHE_HOME", store.resolve("cache").toString());
        String dump = ROOT.resolve("fixtures/fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz")
                .toString();

        Ended checked = run(nothing, link.toString(), "topology", dump, "-o", "json");
        assertThat(checked.code()).as(checked.output()).isZero();
        assertThat(checked.output()).contains("RailOptimized");
        assertThat(run(nothing, link.toString(), "export", "slurm", dump).output())
                .contains("SwitchName=");

        // No other Java has answered: this one is asked first.
        Files.writeString(store.resolve("kubectl-fabric-java/bin/java"), "#!/bin/sh\necho brought along\n");
        assertThat(run(nothing, link.toString(), "version").output()).isEqualTo("brought along\n");
    }

    private static Ended run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.outputWriter().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }
}
