/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dump of adapters that nobody gave names, and the site's map of nodes beside it. */
class NodeNameMapIT {
    @TempDir
    Path directory;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private Path dump() throws IOException {
        String dump = Files.readString(Program.FIXTURES.resolve("reported/back-to-back-ibnetdiscover.txt"));
        return file("dump.txt", dump.replaceAll("\"[^\"]* mlx5_0\"", "\"MT4129 ConnectX7   Mellanox Technologies\""));
    }

    private static Program.Result topology(Path dump, Path map) {
        return Program.run("topology", "-o", "wide", "--node-name-map", map.toString(), dump.toString());
    }

    @Test
    void nodesAreCalledAsTheMapHasThem() throws IOException {
        List<String> guids = Files.readAllLines(dump()).stream()
                .filter(line -> line.startsWith("caguid="))
                .map(line -> line.substring("caguid=".length()))
                .toList();
        assertThat(guids).hasSize(2);
        Path map = file(
                "names",
                "# the site's\n" + guids.get(0) + " \"node0001 mlx5_0\"\n\n  "
                        + guids.get(1).replace("0x", "0X") + "\t\"node0002 mlx5_0\" # on loan\n0x1 not-there\n");

        assertThat(Program.run("topology", "-o", "wide", dump().toString()).out())
                .doesNotContain("node0001");
        Program.Result named = topology(dump(), map);
        assertThat(named.exitCode()).as(named.err()).isZero();
        assertThat(named.out()).contains("node0001").contains("node0002");
        assertThat(named.err()).doesNotContain("names no host");
        assertThat(Program.run("diff", "--node-name-map", map.toString(), dump().toString(), dump().toString())
                        .out())
                .contains("No differences");
    }

    @Test
    void whatIsNoMapIsRefusedWithItsLine() throws IOException {
        assertThat(topology(dump(), file("map", "0x12 \"a\"\nleaf-01\n")).err())
                .contains("map:2: not a GUID and a name in quotes");
        assertThat(topology(dump(), file("map", "0x12 \"a\"\n0x0012 \"b\"\n")).err())
                .contains("map:2: 0000000000000012 is called 'b' here, and 'a' above");
        assertThat(topology(dump(), directory.resolve("absent")).err()).contains("absent: no such file");
    }

    @Test
    void aMapWithoutAFileOfInfiniBandIsRefused() throws IOException {
        Path map = file("map", "0x12 \"a\"\n");
        assertThat(Program.run("check", "--node-name-map", map.toString()).err())
                .contains("--node-name-map names nodes of files, and none is given");
        assertThat(topology(Program.FIXTURES.resolve("reported/handed-on/flat.csv"), map)
                        .err())
                .contains("flat.csv:1: a node name map goes with ibnetdiscover and OpenSM's list, and this is cables");
    }
}
