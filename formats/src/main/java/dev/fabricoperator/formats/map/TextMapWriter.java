/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import dev.fabricoperator.formats.map.FabricMap.Edge;
import dev.fabricoperator.formats.map.FabricMap.Gap;
import dev.fabricoperator.formats.map.FabricMap.Row;
import dev.fabricoperator.formats.map.FabricMap.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A map in lines of text, at most {@value #WIDTH} characters wide but for what somebody should read as a whole. */
public final class TextMapWriter {
    private static final int WIDTH = 110;
    private static final int MOST_OF_A_LABEL = 40;
    private static final int MOST_OF_HOSTS = 60;
    private static final int MOST_OF_RANKS = 60;
    private static final int MOST_LINKS = 32;

    private TextMapWriter() {}

    /** Ends with a line feed. */
    public static String write(FabricMap map) {
        StringBuilder out = new StringBuilder();
        out.append(map.title()).append('\n').append(map.counts()).append('\n');
        String job = map.jobSentence();
        if (job != null) {
            out.append(job).append('\n');
        }
        if (map.sections().stream().anyMatch(TextMapWriter::isGrid)) {
            out.append("\n. a switch, # ranks of the job, ! something to look at, x no switch where one should be\n");
        }
        for (Section section : map.sections()) {
            out.append('\n');
            if (!section.label().isEmpty()) {
                out.append(section.remarks().isEmpty() ? "" : "! ")
                        .append(section.label())
                        .append('\n');
            }
            if (isGrid(section)) {
                grid(section, out);
            } else {
                section.rows().forEach(row -> row(row, out));
            }
        }
        List<Edge> flows = map.flows();
        if (!flows.isEmpty()) {
            out.append("\nlinks of the job\n");
            flows.stream()
                    .limit(MOST_LINKS)
                    .forEach(edge -> out.append("    ")
                            .append(DisplayText.shown(
                                    map.cells().get(edge.from()).label(), MOST_OF_A_LABEL))
                            .append(" to ")
                            .append(DisplayText.shown(map.cells().get(edge.to()).label(), MOST_OF_A_LABEL))
                            .append(": ")
                            .append(edge.sentence())
                            .append('\n'));
            if (flows.size() > MOST_LINKS) {
                out.append("    ").append(flows.size() - MOST_LINKS).append(" more, each with fewer bytes\n");
            }
        }
        if (!map.remarks().isEmpty()) {
            out.append("\nto look at\n");
            for (Remark remark : map.remarks()) {
                out.append("  ! ")
                        .append(DisplayText.shown(remark.type() + ": " + remark.message(), 512))
                        .append('\n');
            }
        }
        return out.toString();
    }

    private static boolean isGrid(Section section) {
        return section.grid() && section.cells().stream().noneMatch(Cell::folded);
    }

    /** One sign for each place, as the legend says. */
    private static void grid(Section section, StringBuilder out) {
        for (int row = 0; row < section.rows().size(); row++) {
            SortedMap<Integer, Character> signs = new TreeMap<>();
            for (Cell cell : section.rows().get(row).cells()) {
                signs.put(cell.column(), !cell.remarks().isEmpty() ? '!' : cell.ranks() > 0 ? '#' : '.');
            }
            for (Gap gap : section.gaps()) {
                if (gap.row() == row) {
                    signs.putIfAbsent(gap.column(), 'x');
                }
            }
            StringBuilder line = new StringBuilder("  ");
            signs.forEach((column, sign) -> line.repeat(' ', Math.max(0, 2 + 2 * column - line.length()))
                    .append(sign.charValue()));
            out.append(line.toString().stripTrailing()).append('\n');
        }
        for (Row row : section.rows()) {
            for (Cell cell : row.cells()) {
                if (cell.ranks() > 0 || !cell.remarks().isEmpty()) {
                    writeCell(cell, out);
                }
            }
        }
    }

    private static void row(Row row, StringBuilder out) {
        if (!row.label().isEmpty()) {
            out.append("  ").append(row.label()).append('\n');
        }
        List<String> quiet = new ArrayList<>();
        for (Cell cell : row.cells()) {
            if (cell.ranks() > 0 || !cell.remarks().isEmpty() || cell.folded()) {
                writeCell(cell, out);
            } else {
                quiet.add(DisplayText.shown(cell.label(), MOST_OF_A_LABEL));
            }
        }
        StringBuilder line = new StringBuilder();
        for (String name : quiet) {
            if (!line.isEmpty() && line.length() + name.length() > WIDTH) {
                out.append(line).append('\n');
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "    " : "  ").append(name);
        }
        out.append(line).append(line.isEmpty() ? "" : "\n");
    }

    private static void writeCell(Cell cell, StringBuilder out) {
        out.append("    ").append(cell.remarks().isEmpty() ? "" : "! ");
        out.append(DisplayText.shown(cell.label(), MOST_OF_A_LABEL));
        List<String> parts = new ArrayList<>();
        if (cell.ranks() > 0) {
            parts.add(cell.ranksInWords(MOST_OF_RANKS) + " on " + FabricMap.hosts(cell.rankHosts(), MOST_OF_HOSTS));
        }
        if (cell.devices() > 0) {
            parts.add(DisplayText.count(cell.devices(), "device", "devices"));
        }
        if (!cell.remarks().isEmpty()) {
            parts.add(cell.remarks().stream()
                    .map(remark -> DisplayText.shown(remark.type(), MOST_OF_A_LABEL))
                    .distinct()
                    .collect(Collectors.joining(", ")));
        }
        out.append(parts.isEmpty() ? "" : ": ").append(String.join("; ", parts)).append('\n');
    }
}
