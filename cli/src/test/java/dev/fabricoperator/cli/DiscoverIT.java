/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscoverIT {
    @TempDir
    static Path unpacked = Path.of("");

    private static Path root = Path.of("");

    @BeforeAll
    static void unpack() throws IOException {
        Path archive = Program.FIXTURES.resolve("sysfs/recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2");
        try (InputStream file = new BufferedInputStream(Files.newInputStream(archive));
                TarArchiveInputStream tar = new TarArchiveInputStream(new BZip2CompressorInputStream(file))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = unpacked.resolve(entry.getName());
                Files.createDirectories(entry.isDirectory() ? target : target.resolveSibling("."));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else if (!entry.isDirectory()) {
                    Files.copy(tar, target);
                }
            }
        }
        try (Stream<Path> directories = Files.walk(unpacked, 2)) {
            root = directories
                    .filter(d -> Files.isDirectory(d.resolve("sys")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void devicesOfAHostAreAListOfObjects() {
        Program.Result result = Program.run("discover", "--root", root.toString(), "-o", "json");

        assertThat(result.exitCode()).as(result.err()).isZero();
        JsonNode list = result.json();
        assertThat(list.path("apiVersion").asText() + list.path("kind").asText())
                .isEqualTo("v1List");
        JsonNode infiniband = device(list, "mlx4_0");
        assertThat(infiniband.path("apiVersion").asText()).isEqualTo("fabric-operator.dev/v1alpha1");
        assertThat(infiniband.path("kind").asText()).isEqualTo("FabricDevice");
        assertThat(infiniband.has("status")).isFalse();
        JsonNode spec = infiniband.path("spec");
        assertThat(spec.has("nodeName")).isFalse();
        assertThat(spec.path("nodeGuid").asText()).isEqualTo("0002c90300f9bfa0");
        assertThat(spec.path("lid").asInt()).isEqualTo(0x3a4);
        assertThat(spec.path("numaNode").asInt()).isEqualTo(1);
        assertThat(spec.path("speedBitsPerSecond").asLong()).isEqualTo(56_000_000_000L);
        assertThat(spec.path("state").asText()).isEqualTo("Active");
    }

    @Test
    void aNodeNameIsTakenOver() {
        JsonNode list = Program.run("discover", "--root", root.toString(), "--node-name", "worker-7", "-o", "json")
                .json();

        JsonNode infiniband = device(list, "mlx4_0");
        assertThat(infiniband.path("metadata").path("name").asText()).isEqualTo("worker-7-mlx4-0-1");
        assertThat(infiniband.path("spec").path("nodeName").asText()).isEqualTo("worker-7");
    }

    @Test
    void tableHasALineForEachPort() {
        String table = Program.run("discover", "--root", root.toString()).out();

        assertThat(table).startsWith("DEVICE");
        assertThat(table).containsPattern("mlx4_0 +1 +InfiniBand +Physical +\\w+ +Active +56 +1 +0000:82:00.0 +ib0 +");
    }

    @Test
    void aDirectoryThatIsNoHostIsBadInput(@TempDir Path empty) {
        Program.Result noHost = Program.run("discover", "--root", empty.toString());
        Program.Result missing =
                Program.run("discover", "--root", empty.resolve("missing").toString());
        Program.Result file = Program.run("discover", "--root", Program.SMALL.toString());

        assertThat(noHost.exitCode()).isEqualTo(3);
        assertThat(noHost.err())
                .isEqualTo("error: " + empty + ": holds no 'sys'; name the directory that holds sys, proc and etc\n");
        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.err()).isEqualTo("error: " + empty.resolve("missing") + ": no such directory\n");
        assertThat(file.exitCode()).isEqualTo(3);
        assertThat(file.err()).isEqualTo("error: " + Program.SMALL + ": is no directory\n");
    }

    @Test
    void thisMachineCanBeLookedAt() {
        assertThat(Program.with("discover").run().exitCode()).isZero();
    }

    private static JsonNode device(JsonNode list, String osName) {
        for (JsonNode item : list.path("items")) {
            if (item.path("spec").path("osName").asText().equals(osName)) {
                return item;
            }
        }
        throw new AssertionError("no " + osName + " in " + list);
    }
}
