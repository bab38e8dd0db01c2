/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

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

    private final List<String[]> rows = new ArrayList<>();
    private final int[] widths;

    public TextTable(String... headings) {
        widths = new int[headings.length];
        add(headings);
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
        for (int i = 0; i < cells.length; i++) {
            row[i] = Objects.toString(cells[i], UNKNOWN);
        }
        add(row);
    }

    private void add(String[] row) {
        for (int i = 0; i < row.length; i++) {
            widths[i] = Math.max(widths[i], row[i].codePointCount(0, row[i].length()));
        }
        rows.add(row);
    }

    /** Writes all rows; no line ends in a blank. */
    public void writeTo(OutputStream out) throws IOException {
        StringBuilder line = new StringBuilder();
        for (String[] row : rows) {
            line.setLength(0);
            int padding = 0;
            for (int i = 0; i < row.length; i++) {
                line.repeat(' ', padding).append(i == 0 ? "" : GAP).append(row[i]);
                padding = widths[i] - row[i].codePointCount(0, row[i].length());
            }
            out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }
    }
}
