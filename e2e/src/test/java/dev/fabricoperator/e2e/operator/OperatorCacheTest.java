/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.system.OperatorJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/** The AOT caches of the operator's image, which the tests' processes of this run use too. */
@WithControlPlane
class OperatorCacheTest {
    private final ControlPlane cluster;

    OperatorCacheTest(ControlPlane cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    static void apply(ControlPlane cluster) {
        Manifests.apply(cluster);
    }

    @ParameterizedTest
    @ValueSource(strings = {"controller", "server"})
    void a_role_takes_nearly_all_of_its_classes_from_its_cache(String role, @TempDir Path directory)
            throws IOException {
        Path cache = OperatorJvm.cache(role)
                .orElseThrow(() -> new TestAbortedException("there is no image of this build: run \"make images\""));
        Path classes = directory.resolve("classes.log");
        // "on": a JVM that cannot use the cache ends.
        try (OperatorProcess operator =
                start(directory, role, cache, "-XX:AOTMode=on", "-Xlog:class+load:file=" + classes)) {
            // It is ready as a standby, and not while its informers begin to watch because it leads.
            assertThat(operator.isAlive()).isTrue();
        }
        List<String> loaded = Files.readAllLines(classes);
        assertThat(loaded)
                .anyMatch(line -> line.contains("dev.fabricoperator.operator.Lifecycle source: shared objects file"));
        long elsewhere = loaded.stream()
                .filter(line -> line.contains(" source: ") && !line.contains("shared objects file"))
                .count();
        assertThat(elsewhere).isLessThan(loaded.size() / 10);
    }

    @Test
    void starts_without_a_cache_that_the_jvm_cannot_use(@TempDir Path directory) throws IOException {
        Path cache = directory.resolve("server.aot");
        Files.writeString(cache, "of another JVM");
        try (OperatorProcess operator = start(directory, "server", cache)) {
            assertThat(operator.isReady()).isTrue();
        }
    }

    private OperatorProcess start(Path directory, String role, Path cache, String... more) throws IOException {
        Path tls = directory.resolve("tls");
        cluster.writeServingCertificate(tls, List.of("127.0.0.1"));
        Files.writeString(tls.resolve("ca.crt"), cluster.authorityPem());
        List<String> arguments = new ArrayList<>(OperatorProcess.BRIEF);
        arguments.add("-XX:AOTCache=" + cache);
        arguments.addAll(List.of(more));
        return OperatorProcess.startCommand(
                cluster,
                directory,
                role,
                OperatorJvm.commandWithoutCache(role, arguments),
                Map.of("FABRIC_OPERATOR_CERTIFICATE_DIRECTORY", tls.toString()));
    }
}
