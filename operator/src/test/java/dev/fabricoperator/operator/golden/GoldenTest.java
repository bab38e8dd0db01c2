/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every directory of {@code golden}: {@code in-*.yaml} go in, then what {@code then.yaml} says happens, {@code out-*.yaml} must come out, and there is nothing else.
 * {@code -Dgolden.update=true} writes what came out.
 */
class GoldenTest {
    private static final Path ROOT = Path.of("src/test/resources/golden");

    static Stream<String> cases() throws IOException {
        try (Stream<Path> directories = Files.list(ROOT)) {
            return directories.map(d -> d.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theClusterLooksAsTheFilesSay(String name) throws IOException {
        Path directory = ROOT.resolve(name);
        Map<String, String> found = GoldenCluster.load(directory).outputs();
        if (Boolean.getBoolean("golden.update")) {
            for (Map.Entry<String, String> file : found.entrySet()) {
                Files.writeString(directory.resolve(file.getKey()), file.getValue());
            }
        }
        for (Map.Entry<String, String> file : found.entrySet()) {
            Path expected = directory.resolve(file.getKey());
            assertThat(expected).exists();
            assertThat(file.getValue()).isEqualTo(Files.readString(expected));
        }
        TreeSet<String> others = new TreeSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.map(f -> f.getFileName().toString())
                    .filter(f -> !f.matches("in-.*\\.yaml|then\\.yaml"))
                    .forEach(others::add);
        }
        assertThat(others).as("files that nothing reads or makes").isEqualTo(new TreeMap<>(found).keySet());
    }
}
