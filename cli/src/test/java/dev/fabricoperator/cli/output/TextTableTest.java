/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static String written(boolean coloured) throws IOException {
        TextTable table = new TextTable("NAME", "PHASE", "PROBLEM");
        table.row("ring", new TextTable.Coloured("Failed", TextTable.Colour.red), null);
        table.row("", "", "a sentence");
        table.row("a-long-name", new TextTable.Coloured(null, null), "x");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out, coloured);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void columnsStandBelowTheirHeadingsAndNoLineEndsInABlank() throws IOException {
        assertThat(written(false)).isEqualTo("""
                NAME          PHASE    PROBLEM
                ring          Failed   <none>
                                       a sentence
                a-long-name   <none>   x
                """);
    }

    @Test
    void coloursStandOnATerminalOnlyAndMoveNothing() throws IOException {
        assertThat(written(true)).contains("ring          \u001b[31mFailed\u001b[0m   <none>\n");
        assertThat(written(true).replaceAll("\u001b\\[[0-9]+m", "")).isEqualTo(written(false));
    }

    @Test
    void whatSomebodyElseWroteMovesNoCursorForgesNoLineAndWidensNoTable() throws IOException {
        TextTable table = new TextTable("POD", "NOTE");
        table.row("\u001b]0;title\u0007a", "x\nNEXT\u009b2J\u007f");
        table.row("b", "y".repeat(200_000));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out, true);
        assertThat(out.size()).isLessThan(3000);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("^[]0;title^Ga   x^JNEXT?2J?\n")
                .endsWith("y…\n");
    }

    @Test
    void aNameCannotTurnTheDirectionOfWriting() throws IOException {
        TextTable table = new TextTable("NAME");
        table.row("leaf-\u202e1-\u2066x \ud83d\ude00");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out, false);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("NAME\nleaf-?1-?x \ud83d\ude00\n");
    }
}
