/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.fabric.cabling.DisplayText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Left-aligned columns under upper-case headings, three blanks apart, as kubectl prints them. */
public final class TextTable {
    private static final String GAP = "   ";
    private static final String UNKNOWN = "<none>";
    /** Other formats have the whole. */
    private static final int LONGEST_CELL = 1000;

    /** Columns that a sentence has at least before others are left out for it. */
    private static final int SHORTEST_SENTENCE = 40;

    private final List<String> leftOutFirst = new ArrayList<>();
    private boolean endsInSentence;
    private boolean inParts;
    private String emptySentence = "";
    private String title = "";
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
        return new TextTable(text).endingInSentence();
    }

    /** Columns that a narrow terminal does not show, the least important one first; {@code -o wide} shows all. */
    public TextTable leavingOut(String... headings) {
        leftOutFirst.addAll(List.of(headings));
        return this;
    }

    /** The last column is of sentences or lists, which go on in the next line where a terminal is narrow. */
    public TextTable endingInSentence() {
        endsInSentence = true;
        return this;
    }

    /** Columns that a terminal has no room for stand below, behind the first column once more: none may be missing. */
    public TextTable inParts() {
        inParts = true;
        return this;
    }

    /** What stands there if the table has no row: why, and what to do. */
    public TextTable orSaying(String sentence) {
        emptySentence = sentence;
        return this;
    }

    /** A line above the headings. */
    public TextTable titled(String line) {
        title = printable(line);
        return this;
    }

    public boolean isEmpty() {
        return rows.size() < 2;
    }

    /** The first cell of each row. */
    public Stream<String> firstCells() {
        return rows.stream().skip(1).map(row -> row[0]);
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
            widths[i] = Math.max(widths[i], TerminalWidth.of(row[i]));
        }
        rows.add(row);
        colours.add(coloursOfRow);
    }

    /**
     * Writes all rows; no line ends in a blank, and a cell without words has no colour.
     *
     * @param width of the terminal; 0 where all is to be written as it is
     */
    public void writeTo(OutputStream out, boolean coloured, int width) throws IOException {
        if (isEmpty() && !emptySentence.isEmpty()) {
            sentence(emptySentence).writeTo(out, coloured, width);
            return;
        }
        if (!title.isEmpty()) {
            out.write((title + "\n").getBytes(StandardCharsets.UTF_8));
        }
        boolean first = true;
        for (List<Integer> part : inParts && width > 0 ? parts(width) : List.of(fitting(width))) {
            if (!first) {
                out.write('\n');
            }
            first = false;
            write(out, coloured, width, part);
        }
    }

    private List<List<Integer>> parts(int width) {
        List<List<Integer>> parts = new ArrayList<>();
        List<Integer> part = new ArrayList<>(List.of(0));
        for (int column = 1; column < widths.length; column++) {
            part.add(column);
            if (part.size() > 2 && width(part) > width) {
                part.removeLast();
                parts.add(part);
                part = new ArrayList<>(List.of(0, column));
            }
        }
        parts.add(part);
        return parts;
    }

    private void write(OutputStream out, boolean coloured, int width, List<Integer> columns) throws IOException {
        int before = 0;
        for (int column : columns.subList(0, columns.size() - 1)) {
            before += widths[column] + GAP.length();
        }
        int room = endsInSentence && width > 0 ? Math.max(width - before, SHORTEST_SENTENCE / 2) : Integer.MAX_VALUE;
        StringBuilder line = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            String[] row = rows.get(r);
            List<String> last = folded(row[columns.getLast()], room);
            line.setLength(0);
            int padding = 0;
            for (int i = 0; i < columns.size(); i++) {
                int column = columns.get(i);
                String cell = i == columns.size() - 1 ? last.getFirst() : row[column];
                Colour colour = coloured ? colours.get(r)[column] : null;
                if (!cell.isEmpty()) {
                    line.repeat(' ', padding).append(i == 0 ? "" : GAP);
                    line.append(colour == null ? "" : colour.begin).append(cell);
                    line.append(colour == null ? "" : Colour.END);
                    padding = 0;
                } else {
                    padding += i == 0 ? 0 : GAP.length();
                }
                padding += widths[column] - TerminalWidth.of(cell);
            }
            for (String more : last.subList(1, last.size())) {
                line.append('\n').repeat(' ', before).append(more);
            }
            out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Columns that a terminal of a width has room for, at least one. */
    private List<Integer> fitting(int width) {
        List<Integer> columns = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            columns.add(i);
        }
        for (String heading : leftOutFirst) {
            if (width > 0 && width(columns) > width) {
                columns.removeIf(column -> rows.getFirst()[column].equals(heading));
            }
        }
        return columns;
    }

    private int width(List<Integer> columns) {
        int width = GAP.length() * (columns.size() - 1);
        for (int column : columns) {
            boolean sentence = endsInSentence && column == widths.length - 1;
            width += sentence ? Math.min(widths[column], SHORTEST_SENTENCE) : widths[column];
        }
        return width;
    }

    /** In lines of at most {@code room} columns where it has blanks or commas to break at. */
    private static List<String> folded(String text, int room) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (TerminalWidth.of(rest) > room) {
            int end = TerminalWidth.end(rest, room);
            int blank = rest.lastIndexOf(' ', end);
            int comma = rest.lastIndexOf(',', end - 1) + 1;
            // A list of hosts is broken where it would else leave most of a line empty.
            int at = blank >= room / 2 ? blank : Math.max(blank, comma);
            if (at <= 0) {
                int next = rest.indexOf(' ', end);
                at = next < 0 ? rest.length() : next;
            }
            lines.add(rest.substring(0, at).stripTrailing());
            rest = rest.substring(at).stripLeading();
        }
        if (!rest.isEmpty() || lines.isEmpty()) {
            lines.add(rest);
        }
        return lines;
    }
}
