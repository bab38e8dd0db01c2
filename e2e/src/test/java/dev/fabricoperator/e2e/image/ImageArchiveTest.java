/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The archives of "make images". That an image's program runs, and that its AOT cache fits, is checked when it is built. */
class ImageArchiveTest {

    private static final Path IMAGES = Path.of(System.getProperty("fixtures", "../fixtures"))
            .resolveSibling("target")
            .resolve("images");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The files of an image, upper layers over lower ones, and its configuration. */
    private record Image(JsonNode config, Map<String, TarArchiveEntry> entries, Map<String, byte[]> small) {
        static Image read(String name) throws IOException {
            Path archive = IMAGES.resolve(name + ".tar");
            assumeTrue(Files.exists(archive), archive + " is not there: run make images (as root on Linux)");
            Map<String, byte[]> parts = new HashMap<>();
            try (TarArchiveInputStream tar = new TarArchiveInputStream(Files.newInputStream(archive))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    parts.put(entry.getName(), tar.readAllBytes());
                }
            }
            JsonNode manifest = JSON.readTree(parts.get("manifest.json")).get(0);
            assertThat(manifest.get("RepoTags").get(0).asText())
                    .isEqualTo("ghcr.io/fabric-operator/" + name + ":0.1.0");
            Map<String, TarArchiveEntry> entries = new TreeMap<>();
            Map<String, byte[]> small = new HashMap<>();
            for (JsonNode layer : manifest.get("Layers")) {
                byte[] bytes = parts.get(layer.asText());
                readLayer(new GZIPInputStream(new ByteArrayInputStream(bytes)), entries, small);
            }
            JsonNode config = JSON.readTree(parts.get(manifest.get("Config").asText()));
            return new Image(config, entries, small);
        }

        private static void readLayer(InputStream in, Map<String, TarArchiveEntry> entries, Map<String, byte[]> small)
                throws IOException {
            try (TarArchiveInputStream tar = new TarArchiveInputStream(in)) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    String path = entry.getName().replaceFirst("^\\./", "").replaceFirst("/$", "");
                    entries.put(path, entry);
                    if (entry.isFile() && entry.getSize() < 1_000_000) {
                        small.put(path, tar.readAllBytes());
                    }
                }
            }
        }

        String text(String path) {
            return new String(small.getOrDefault(path, new byte[0]), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pmixd", "fabric-operator", "fabric-agent", "fabric-sweeper"})
    void runs_as_nobody_and_says_what_it_is(String name) throws IOException {
        JsonNode config = Image.read(name).config();
        assertThat(config.at("/config/User").asText()).isEqualTo("65532:65532");
        assertThat(config.at("/config/Entrypoint/0").asText()).isEqualTo("/opt/java/bin/java");
        JsonNode labels = config.at("/config/Labels");
        assertThat(labels.path("org.opencontainers.image.title").asText()).isEqualTo(name);
        assertThat(labels.path("org.opencontainers.image.licenses").asText()).isEqualTo("Apache-2.0");
        assertThat(labels.path("org.opencontainers.image.description").asText()).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pmixd", "fabric-operator", "fabric-agent", "fabric-sweeper"})
    void holds_no_shell_and_no_package_manager_and_nothing_that_any_user_cannot_read(String name) throws IOException {
        Image image = Image.read(name);
        assertThat(image.entries().keySet())
                .noneMatch(path -> path.matches("(usr/)?s?bin/[^/]+|opt/java/bin/(?!java$).+"));
        image.entries().forEach((path, entry) -> {
            boolean shared = entry.isSymbolicLink() || (entry.getMode() & 04) != 0 || path.equals("root");
            assertThat(shared).as("others may read " + path).isTrue();
            assertThat(entry.getMode() & 06000).as("set-user-id of " + path).isZero();
            assertThat(entry.getLongUserId()).as("owner of " + path).isZero();
            assertThat(entry.getLastModifiedTime().toMillis())
                    .as("time of " + path)
                    .isEqualTo(1000);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"pmixd", "fabric-operator", "fabric-agent", "fabric-sweeper"})
    void lists_what_it_is_made_of(String name) throws IOException {
        Image image = Image.read(name);
        JsonNode debian = JSON.readTree(image.text("usr/share/sbom/debian.cdx.json"));
        assertThat(debian.path("bomFormat").asText()).isEqualTo("CycloneDX");
        assertThat(debian.path("components"))
                .anyMatch(each -> each.path("purl").asText().startsWith("pkg:deb/debian/libc6@"));
        for (JsonNode component : debian.path("components")) {
            String status =
                    image.text("var/lib/dpkg/status.d/" + component.path("name").asText());
            assertThat(status).contains("Version: " + component.path("version").asText());
        }
        JsonNode java = JSON.readTree(image.text("usr/share/sbom/java.cdx.json"));
        assertThat(java.path("components"))
                .anyMatch(each -> each.path("purl").asText().startsWith("pkg:maven/dev.fabricoperator/fabric@"));
    }

    @ParameterizedTest
    @ValueSource(strings = "pmixd")
    void pmixd_has_its_library_its_cache_and_the_launcher(String name) throws IOException {
        Image image = Image.read(name);
        assertThat(image.entries())
                .containsKeys("app/pmixd.jar", "app/pmixd.aot", "app/pmixd.options", "app/pmixd.main");
        assertThat(image.entries().keySet())
                .anyMatch(path -> path.matches("usr/lib/[^/]+/pmix2/lib/libpmix\\.so\\.2.*"));
        TarArchiveEntry launcher = image.entries().get("usr/local/bin/fabric-launcher");
        assertThat(launcher).isNotNull();
        assertThat(launcher.getMode() & 0777).isEqualTo(0755);
        // Relative to the image, which is a volume elsewhere than at the root in most pods.
        assertThat(image.config().at("/config/WorkingDir").asText()).isEqualTo("/");
        assertThat(image.config().at("/config/Entrypoint").toString()).contains("\"-XX:AOTCache=app/pmixd.aot\"");
        // What a pod's specification writes in its place: a heap by the job's ranks, then this.
        assertThat(image.config().at("/config/Cmd").toString()).isEqualTo("[\"@app/pmixd.main\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = "fabric-operator")
    void the_operator_has_a_cache_for_each_role_and_only_archives_on_its_class_path(String name) throws IOException {
        Image image = Image.read(name);
        assertThat(image.entries())
                .containsKeys("app/operator.jar", "app/controller.aot", "app/server.aot", "app/operator.options");
        assertThat(image.config().at("/config/Entrypoint").toString()).contains("-XX:AOTCache=/app/controller.aot");
        assertThat(image.entries().keySet().stream().filter(path -> path.startsWith("app/lib/")))
                .isNotEmpty()
                .allMatch(path -> path.endsWith(".jar"));
    }

    @ParameterizedTest
    @ValueSource(strings = "fabric-sweeper")
    void the_sweeper_has_the_programs_that_ask_a_subnet_on_its_path(String name) throws IOException {
        Image image = Image.read(name);
        for (String program : new String[] {"usr/local/bin/ibnetdiscover", "usr/local/bin/sminfo"}) {
            TarArchiveEntry entry = image.entries().get(program);
            assertThat(entry).as(program).isNotNull();
            assertThat(entry.getMode() & 0777).isEqualTo(0755);
        }
        assertThat(image.config().at("/config/Env").toString()).contains("PATH=/usr/local/bin:");
        assertThat(image.entries()).containsKeys("app/sweeper.jar", "app/sweeper.options");
    }
}
