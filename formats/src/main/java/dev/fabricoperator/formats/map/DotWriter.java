/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import dev.fabricoperator.formats.map.FabricMap.Edge;
import dev.fabricoperator.formats.map.FabricMap.Row;
import dev.fabricoperator.formats.map.FabricMap.Section;
import java.util.ArrayList;
import java.util.List;

/** A map in the language of Graphviz. */
public final class DotWriter {
    private static final int MOST_OF_A_LABEL = 60;

    private DotWriter() {}

    /** A whole graph: switches and what is counted are its nodes, cables its edges. */
    public static String write(FabricMap map) {
        StringBuilder out = new StringBuilder();
        out.append("graph fabric {\n  label=")
                .append(dot(map.title() + "\n" + map.counts()))
                .append(";\n  node [shape=box, style=filled, fillcolor=\"#e5e7eb\"];\n");
        for (int s = 0; s < map.sections().size(); s++) {
            Section section = map.sections().get(s);
            out.append("  subgraph cluster_").append(s).append(" {\n    label=");
            out.append(dot(section.label())).append(";\n");
            for (Row row : section.rows()) {
                out.append("    { rank=same;");
                row.cells().forEach(cell -> out.append(" c").append(cell.id()).append(';'));
                out.append(" }\n");
                row.cells().forEach(cell -> node(cell, out));
            }
            out.append("  }\n");
        }
        for (Edge edge : map.edges()) {
            out.append("  c").append(edge.from()).append(" -- c").append(edge.to());
            List<String> attributes = new ArrayList<>();
            if (edge.cables() > 1) {
                attributes.add("label=\"" + edge.cables() + "\"");
            }
            if (!edge.remarks().isEmpty()) {
                attributes.add("color=\"#dc2626\"");
                attributes.add(edge.cables() == 0 ? "style=dashed" : "penwidth=2");
            }
            out.append(attributes.isEmpty() ? ";\n" : " [" + String.join(", ", attributes) + "];\n");
        }
        return out.append("}\n").toString();
    }

    private static void node(Cell cell, StringBuilder out) {
        String label = DisplayText.shown(cell.label(), MOST_OF_A_LABEL);
        if (cell.devices() > 0) {
            label += "\n" + DisplayText.count(cell.devices(), "device", "devices");
        }
        if (cell.ranks() > 0) {
            label += "\n" + cell.ranksInWords(FabricMap.LONGEST_NAME);
        }
        out.append("    c").append(cell.id()).append(" [label=").append(dot(label));
        if (cell.folded()) {
            out.append(", style=dashed");
        } else if (cell.ranks() > 0) {
            out.append(", fillcolor=\"#1d4ed8\", fontcolor=white");
        }
        if (!cell.remarks().isEmpty()) {
            out.append(", color=\"#dc2626\", penwidth=3");
        }
        out.append("];\n");
    }

    /** Graphviz knows of all escapes but these two none, and takes any other character. */
    private static String dot(String text) {
        return "\""
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("&", "&amp;") + "\"";
    }
}
