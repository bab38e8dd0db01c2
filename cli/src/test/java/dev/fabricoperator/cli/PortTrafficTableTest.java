/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PortTrafficTableTest {
    private static final String NOON = "2026-11-28T12:00:00Z";

    private static String text(PortTrafficAnswer answer, boolean wide) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (TextTable table : TrafficCommand.tables(answer, wide)) {
            table.writeTo(out, false, 0);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static PortTrafficAnswer.Port port(int port) {
        return new PortTrafficAnswer.Port(
                "a001", "leaf-1", port, "leaf-2 port 3", 1_125_000_000L, 0.9, 0.0, null, NOON);
    }

    @Test
    void hotSpotsAreNamedWithTheirJobsBeforeThePortsThatSendMost() throws IOException {
        PortTrafficAnswer answer = new PortTrafficAnswer(
                "infiniband-0",
                NOON,
                null,
                IntStream.range(0, 20).mapToObj(PortTrafficTableTest::port).toList(),
                List.of(
                        new PortTrafficAnswer.HotSpot(
                                "a001",
                                "leaf-1",
                                3,
                                "leaf-2 port 3",
                                HotReason.Utilisation,
                                0.9,
                                NOON,
                                List.of(new PortTrafficAnswer.Job(
                                        "lab", "ring", 562_500_000L, 0.5, Path.Basis.routes))),
                        new PortTrafficAnswer.HotSpot("a001", null, 4, null, HotReason.Discards, 2, NOON, List.of())),
                null,
                1);

        assertThat(text(answer, false))
                .containsPattern(
                        "leaf-1 +3 +leaf-2 port 3 +Utilisation +90.0 % +" + NOON + " +lab/ring \\(563 MB/s, 50.0 %\\)")
                .containsPattern("a001 +4 +<none> +Discards +2.0/s")
                .containsPattern("leaf-1 +0 +leaf-2 port 3 +1.13 GB/s +90.0 % +0.0 % +<none> +" + NOON)
                .contains("4 more ports: -o wide", "1 jobs are too large to say which ports they use");
        assertThat(text(answer, true)).doesNotContain("more ports").contains("leaf-1   19");
    }

    @Test
    void whereNothingIsHotThatIsSaid() throws IOException {
        assertThat(text(new PortTrafficAnswer("infiniband-0", NOON, null, List.of(), List.of(), null, null), false))
                .isEqualTo("No hot spots as of " + NOON + ".\n");
    }

    @Test
    void aLookThatFailedIsSaidAndNothingIsCalledCoolForIt() throws IOException {
        assertThat(text(
                        new PortTrafficAnswer(
                                "infiniband-0",
                                null,
                                "ibqueryerrors has not ended within 120 s",
                                List.of(),
                                List.of(),
                                2,
                                null),
                        false))
                .startsWith("Which ports are hot is not known yet.\n")
                .contains("ibqueryerrors has not ended within 120 s", "2 ports have a counter at its end");
    }
}
