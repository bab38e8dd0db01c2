/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CrdManifestsTest {
    private static final Path DIRECTORY = Path.of(System.getProperty("config"), "crd");

    @Test
    void installedManifestsAreWhatTheTypesSay() throws IOException {
        SortedMap<String, String> generated = new CrdManifests().render();
        if (Boolean.getBoolean("crds.regenerate")) {
            Files.createDirectories(DIRECTORY);
            for (var file : generated.entrySet()) {
                Files.writeString(DIRECTORY.resolve(file.getKey()), file.getValue());
            }
        }
        SortedMap<String, String> installed = new TreeMap<>();
        try (var files = Files.newDirectoryStream(DIRECTORY, "fabric*.yaml")) {
            for (Path file : files) {
                installed.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        assertThat(installed)
                .as("config/crd differs from the types in crds/: run 'make crds'")
                .isEqualTo(generated);
    }

    /** {@code kubectl explain} shows it. */
    @Test
    void everyFieldHasADescription() throws IOException {
        List<String> silent = new ArrayList<>();
        for (String manifest : new CrdManifests().render().values()) {
            JsonNode crd = new ObjectMapper(new YAMLFactory()).readTree(manifest);
            for (JsonNode version : crd.at("/spec/versions")) {
                collectUndescribed(crd.at("/spec/names/kind").asText(), version.at("/schema/openAPIV3Schema"), silent);
            }
        }
        assertThat(silent).as("fields without @JsonPropertyDescription").isEmpty();
    }

    /** Volcano takes a task without replicas, and JobSet a ReplicatedJob: the job must be written all the same. */
    @Test
    void anAppMayHaveNoPods() throws IOException {
        String manifest = new CrdManifests().render().get("fabricjobs.fabric-operator.dev.yaml");
        JsonNode pods = new ObjectMapper(new YAMLFactory())
                .readTree(manifest)
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/apps/items/properties/pods");
        assertThat(pods.path("minimum").asDouble(-1)).isZero();
    }

    private static void collectUndescribed(String path, JsonNode schema, List<String> silent) {
        schema.path("properties").properties().forEach(field -> {
            String name = path + "." + field.getKey();
            if (field.getValue().path("description").asText().isBlank()) {
                silent.add(name);
            }
            collectUndescribed(name, field.getValue(), silent);
            collectUndescribed(name + "[]", field.getValue().path("items"), silent);
        });
    }
}
