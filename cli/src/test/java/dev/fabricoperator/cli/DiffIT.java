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
                .containsExactly("nodesLost", "nodesGained", "linksLost", "linksGained");
        KEYS.forEach((ours, theirs) -> assertThat(lost.json().path(ours)).isEqualTo(truth.path(theirs)));
        assertThat(gained.json().path("linksGained")).isEqualTo(truth.path("links_lost"));
        assertThat(gained.json().path("nodesGained")).isEqualTo(truth.path("nodes_lost"));
    }

    @Test
    void tableNamesWhatChanged() {
        Path directory = FIXTURES.resolve("sim/ft2-128");
        String table = Program.run(
                        "diff",
                        dump(directory.resolve("ibnetdiscover.txt.gz")),
                        dump(directory.resolve("ibnetdiscover-after-fault.txt.gz")))
                .out();

        assertThat(table).hasLineCount(1 + 2 + 18).startsWith("""
                CHANGE   KIND   ID
                lost     node   e8ebd303b57a6a1d
                lost     node   fc6a1c03309d6b79
                lost     link   e8ebd303b57a6a1d[1]<->fc6a1c037734d7c1[2]
                """);
    }
}
