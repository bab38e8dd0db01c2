/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
