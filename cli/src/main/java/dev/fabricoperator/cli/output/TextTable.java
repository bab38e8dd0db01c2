/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.fabric.map.DisplayText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Left-aligned columns under upper-case headings, three blanks apart, as kubectl prints them. */
public final class TextTable {
    private static final String GAP = "   ";
    private static final String UNKNOWN = "<none>";
    /** Other formats have the whole. */
    private static final int LONGEST_CELL = 1000;

    private final List<String[]> rows = new ArrayList<>();
    private final List<@Nullable Colour[]> colours = new ArrayList<>();
    private final int[] widths;

    /** As terminals have them; each also has words, since not everybody sees them. */
    public enum Colour {
        red("\u001b[31m"),
        green("\u001b[32m"),
        yellow("\u001b[33m");

        private static final String END = "\u001b[0m";

        private final String begin;

        Colour(String begin) {
            this.begin = begin;
        }
    }

    /** A cell that a terminal shows in a colour. */
    public record Coloured(@Nullable Object value, @Nullable Colour colour) {
        @Override
        public String toString() {
            return Objects.toString(value, UNKNOWN);
        }
    }

    public TextTable(String... headings) {
        widths = new int[headings.length];
        add(headings, new Colour[headings.length]);
    }

    /** What stands where a table would have no row. */
    public static TextTable sentence(String text) {
        return new TextTable(text);
    }

    /** @param cells one for each heading; {@code null} prints as kubectl prints an absent field */
    public void row(@Nullable Object... cells) {
        if (cells.length != widths.length) {
            throw new IllegalArgumentException(cells.length + " cells for " + widths.length + " columns");
        }
        String[] row = new String[cells.length];
        @Nullable Colour[] coloursOfRow = new Colour[cells.length];
        for (int i = 0; i < cells.length; i++) {
            row[i] = printable(Objects.toString(cells[i], UNKNOWN));
            coloursOfRow[i] = cells[i] instanceof Coloured coloured ? coloured.colour() : null;
        }
        add(row, coloursOfRow);
    }

    /**
     * Names, annotations and messages are their authors': a control character would move the terminal's cursor or forge a line, one that turns the
     * direction of writing would show another name, and one cell of a megabyte would make every row as wide.
     */
    private static String printable(String text) {
        String cut = text.length() <= LONGEST_CELL ? text : text.substring(0, LONGEST_CELL - 1) + "…";
        if (cut.codePoints().allMatch(DisplayText::isShown)) {
            return cut;
        }
        StringBuilder shown = new StringBuilder();
        // As kubectl shows an escape: ^[
        cut.codePoints().forEach(c -> {
            if (c < ' ') {
                shown.append('^').append((char) (c + '@'));
            } else {
                shown.appendCodePoint(DisplayText.isShown(c) ? c : '?');
            }
        });
        return shown.toString();
    }

    private void add(String[] row, @Nullable Colour[] coloursOfRow) {
        for (int i = 0; i < row.length; i++) {
            widths[i] = Math.max(widths[i], row[i].codePointCount(0, row[i].length()));
        }
        rows.add(row);
        colours.add(coloursOfRow);
    }

    /** Writes all rows; no line ends in a blank, and a cell without words has no colour. */
    public void writeTo(OutputStream out, boolean coloured) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            String[] row = rows.get(r);
            line.setLength(0);
            int padding = 0;
            for (int i = 0; i < row.length; i++) {
                Colour colour = coloured ? colours.get(r)[i] : null;
                if (!row[i].isEmpty()) {
                    line.repeat(' ', padding).append(i == 0 ? "" : GAP);
                    line.append(colour == null ? "" : colour.begin).append(row[i]);
                    line.append(colour == null ? "" : Colour.END);
                    padding = 0;
                } else {
                    padding += i == 0 ? 0 : GAP.length();
                }
                padding += widths[i] - row[i].codePointCount(0, row[i].length());
            }
            out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }
    }
}
