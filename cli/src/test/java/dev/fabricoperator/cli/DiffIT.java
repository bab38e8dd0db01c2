/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FIXTURES;
import static dev.fabricoperator.cli.Program.JSON;
import static dev.fabricoperator.cli.Program.dump;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DiffIT {
    private static final Map<String, String> KEYS = Map.of(
            "nodesLost", "nodes_lost",
            "nodesGained", "nodes_gained",
            "linksLost", "links_lost",
            "linksGained", "links_gained");

    static Stream<String> simulations() {
        return Program.DUMPS.stream().filter(d -> d.startsWith("sim/"));
    }

    @ParameterizedTest
    @MethodSource("simulations")
    void faultsOfEverySimulationAreItsTruth(String directory) throws IOException {
        Path before = FIXTURES.resolve(directory).resolve("ibnetdiscover.txt.gz");
        Path after = FIXTURES.resolve(directory).resolve("ibnetdiscover-after-fault.txt.gz");
        JsonNode truth = JSON.readTree(
                FIXTURES.resolve(directory).resolve("fault.diff.truth.json").toFile());

        Program.Result lost = Program.run("diff", dump(before), dump(after), "-o", "json");
        Program.Result gained = Program.run("diff", dump(after), dump(before), "-o", "json");

        assertThat(lost.exitCode()).as(lost.err()).isZero();
        assertThat(lost.json().fieldNames())
                .toIterable()
                .containsExactly("nodesLost", "nodesGained", "linksLost", "linksGained", "changes");
        KEYS.forEach((ours, theirs) -> assertThat(lost.json().path(ours)).isEqualTo(truth.path(theirs)));
        assertThat(gained.json().path("linksGained")).isEqualTo(truth.path("links_lost"));
        assertThat(gained.json().path("nodesGained")).isEqualTo(truth.path("nodes_lost"));
    }

    @Test
    void tableNamesWhatChanged() {
        Path directory = FIXTURES.resolve("sim/ft2-128");
        String before = dump(directory.resolve("ibnetdiscover.txt.gz"));
        String after = dump(directory.resolve("ibnetdiscover-after-fault.txt.gz"));
        String table = Program.run("diff", before, after).out();

        assertThat(table).isEqualTo("""
                CHANGE   KIND     WHAT
                lost     switch   spine-04 with its 16 links
                lost     device   mlx5_0 of node0098 with its link
                lost     link     leaf-08 port 18 to spine-01 port 16
                """);
        JsonNode link = Program.run("diff", before, after, "-o", "json").json().at("/changes/2");
        assertThat(link.toString())
                .isEqualTo("{\"change\":\"lost\",\"kind\":\"link\",\"ids\":[\"fc6a1c0373ab4876\",\"fc6a1c038201e2bd\"],"
                        + "\"names\":[\"leaf-08\",\"spine-01\"],\"ports\":[18,16],\"links\":1}");
        assertThat(Program.run("diff", before, after, "-o", "wide").out())
                .hasLineCount(1 + 2 + 18)
                .startsWith("""
                CHANGE   KIND   ID
                lost     node   e8ebd303b57a6a1d
                lost     node   fc6a1c03309d6b79
                lost     link   e8ebd303b57a6a1d[1]<->fc6a1c037734d7c1[2]
                """);
    }

    @Test
    void equalInputsAreSaidToBeEqual() {
        String dump = dump(FIXTURES.resolve("sim/ft2-128/ibnetdiscover.txt.gz"));
        assertThat(Program.run("diff", dump, dump).out())
                .isEqualTo("No differences: both have the same nodes and links.\n");
    }
}
