/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What root runs when a cluster of nodes is over. */
class TidyUpTest {
    @Test
    void theScriptLiesWhereNobodyElseCanWriteAndTakesItsDirectoryAlong(@TempDir Path shared) throws Exception {
        Path directory = Files.createTempDirectory(shared, "nodes-");
        Path script = ClusterNetwork.writeTidyUp("no-such-network", directory);

        assertThat(beside(directory))
                .as("what is written beside the private directory")
                .isEmpty();
        assertThat(script.startsWith(directory)).as("%s", script).isTrue();
        assertThat(Files.getPosixFilePermissions(directory))
                .noneMatch(right -> !right.name().startsWith("OWNER"));
        HostCommand.run("sh", script.toString());
        assertThat(directory).doesNotExist();
    }

    @Test
    void aDirectoryThatIsKeptKeepsAllButTheScript(@TempDir Path shared) throws Exception {
        Path directory = Files.createTempDirectory(shared, "nodes-");
        Files.createFile(directory.resolve("keep"));
        Path script = ClusterNetwork.writeTidyUp("no-such-network", directory);

        HostCommand.run("sh", script.toString());

        assertThat(script).doesNotExist();
        assertThat(directory.resolve("keep")).exists();
    }

    private static List<Path> beside(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory.resolveSibling(""))) {
            return files.filter(file -> !file.equals(directory)).toList();
        }
    }
}
