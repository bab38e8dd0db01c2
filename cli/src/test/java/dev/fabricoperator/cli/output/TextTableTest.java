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
        table.writeTo(out, coloured, 0);
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
        table.writeTo(out, true, 0);
        assertThat(out.size()).isLessThan(3000);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("^[]0;title^Ga   x^JNEXT?2J?\n")
                .endsWith("y…\n");
    }

    @Test
    void charactersThatAreTwoColumnsWideMoveNoColumn() throws IOException {
        TextTable table = new TextTable("NAME", "STATE");
        table.row("\u8449-\uff11", "wide");
        table.row("e\u0301", "accent");
        table.row("leaf1", "plain");
        assertThat(narrow(table, 0)).isEqualTo("""
                NAME    STATE
                \u8449-\uff11   wide
                e\u0301       accent
                leaf1   plain
                """);
        TextTable sentence = new TextTable("WHAT").endingInSentence();
        sentence.row("\u8449\u8449\u8449 ".repeat(10).strip());
        assertThat(narrow(sentence, 20).lines().skip(1)).hasSize(4).allMatch(line -> line.length() <= 11);
    }

    @Test
    void columnsThatNoneMayMissStandBelowBehindTheFirstOnceMore() throws IOException {
        TextTable table = new TextTable("FROM", "a", "b", "c").inParts();
        table.row("a", "11111", "22222", "33333");
        assertThat(narrow(table, 20)).isEqualTo("""
                FROM   a       b
                a      11111   22222

                FROM   c
                a      33333
                """);
        assertThat(narrow(table, 0).lines()).hasSize(2);
    }

    @Test
    void aTableWithoutRowsSaysWhy() throws IOException {
        TextTable table = new TextTable("FROM", "TO").orSaying("Nothing: no file was read.");
        assertThat(narrow(table, 60)).isEqualTo("Nothing: no file was read.\n");
        table.row("a", "b");
        assertThat(narrow(table, 60)).startsWith("FROM   TO\n");
    }

    private static String narrow(TextTable table, int width) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out, false, width);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aNarrowTerminalIsShownTheImportantColumns() throws IOException {
        TextTable table = new TextTable("SWITCH", "NAME", "MODEL", "LEVEL").leavingOut("MODEL", "NAME");
        table.row("248a0703002e61db", "leaf-1", "MQM8700", "1");
        assertThat(narrow(table, 0)).isEqualTo(narrow(table, 43)).contains("MODEL");
        assertThat(narrow(table, 42)).isEqualTo("""
                SWITCH             NAME     LEVEL
                248a0703002e61db   leaf-1   1
                """);
        assertThat(narrow(table, 10)).isEqualTo("""
                SWITCH             LEVEL
                248a0703002e61db   1
                """);
    }

    @Test
    void aSentenceGoesOnInTheNextLine() throws IOException {
        TextTable table = new TextTable("GROUP", "HOSTS").endingInSentence();
        table.row("1", "a-host[001-010],b-host[001-010],c-host[001-010] and more of them");
        assertThat(narrow(table, 50)).isEqualTo("""
                GROUP   HOSTS
                1       a-host[001-010],b-host[001-010],
                        c-host[001-010] and more of them
                """);
    }

    @Test
    void aNameCannotTurnTheDirectionOfWriting() throws IOException {
        TextTable table = new TextTable("NAME");
        table.row("leaf-\u202e1-\u2066x \ud83d\ude00");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        table.writeTo(out, false, 0);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("NAME\nleaf-?1-?x \ud83d\ude00\n");
    }
}
