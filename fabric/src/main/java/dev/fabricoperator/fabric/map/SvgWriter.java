/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

import dev.fabricoperator.fabric.map.FabricMap.Cell;
import dev.fabricoperator.fabric.map.FabricMap.Edge;
import dev.fabricoperator.fabric.map.FabricMap.Row;
import dev.fabricoperator.fabric.map.FabricMap.Section;
import dev.fabricoperator.fabric.map.MapGeometry.Box;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A map as SVG. It needs no style sheet, no script and nothing from elsewhere. */
public final class SvgWriter {
    private static final int TOP = 104;
    private static final int MOST_OF_A_LABEL = 19;
    private static final int MOST_OF_A_TITLE = 600;
    private static final int STUB = 14;

    private static final String INK = "#111827";
    private static final String FAINT = "#6b7280";
    private static final String LINE = "#cbd5e1";
    private static final String QUIET = "#e5e7eb";
    private static final String RANKS = "#1d4ed8";
    private static final String WRONG = "#dc2626";

    private final FabricMap map;
    private final MapGeometry geometry;
    private final int[] sectionOf;
    private final StringBuilder out = new StringBuilder();

    private SvgWriter(FabricMap map) {
        this.map = map;
        geometry = new MapGeometry(map.sections(), TOP);
        sectionOf = new int[map.cells().size()];
        for (int s = 0; s < map.sections().size(); s++) {
            for (Row row : map.sections().get(s).rows()) {
                for (Cell cell : row.cells()) {
                    sectionOf[cell.id()] = s;
                }
            }
        }
    }

    /** A whole document. */
    public static String write(FabricMap map) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(map);
    }

    /** The element alone, for a page that it is a part of. Cells carry their id as {@code data-cell}. */
    static String element(FabricMap map) {
        return new SvgWriter(map).svg();
    }

    private String svg() {
        int width = Math.max(
                MapGeometry.PAGE,
                geometry.sections().stream()
                                .mapToInt(box -> box.x() + box.width())
                                .max()
                                .orElse(0)
                        + MapGeometry.MARGIN);
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
                .append(width)
                .append("\" height=\"")
                .append(geometry.height())
                .append("\" viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(geometry.height())
                .append("\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"11\">\n");
        out.append("<title>").append(DisplayText.markup(map.title())).append("</title>\n");
        rectangle(new Box(0, 0, width, geometry.height()), "#ffffff", "none", 0, "");
        text(MapGeometry.MARGIN, 30, map.title(), INK, " font-size=\"18\" font-weight=\"bold\"");
        text(MapGeometry.MARGIN, 50, map.counts(), INK, " font-size=\"12\"");
        String job = map.jobSentence();
        if (job != null) {
            text(MapGeometry.MARGIN, 68, job, RANKS, " font-size=\"12\"");
        }
        legend();
        frames();
        lines();
        cells();
        return out.append("</svg>\n").toString();
    }

    private void legend() {
        int x = MapGeometry.MARGIN;
        int y = 80;
        if (map.job() != null) {
            rectangle(new Box(x, y, 12, 12), RANKS, RANKS, 1, "");
            text(x + 18, y + 10, "ranks of the job", FAINT, "");
            x += 130;
        }
        rectangle(new Box(x, y, 12, 12), "#ffffff", WRONG, 3, "");
        text(x + 18, y + 10, "something to look at", FAINT, "");
        x += 160;
        rectangle(new Box(x, y, 12, 12), QUIET, LINE, 1, "");
        text(x + 18, y + 10, "a switch with nothing to tell", FAINT, "");
        x += 200;
        if (map.cells().stream().anyMatch(Cell::folded)) {
            rectangle(new Box(x, y, 12, 12), "#ffffff", FAINT, 1, " stroke-dasharray=\"3 2\"");
            text(x + 18, y + 10, "several of these, counted", FAINT, "");
        }
    }

    private void frames() {
        int row = 0;
        for (int s = 0; s < map.sections().size(); s++) {
            Section section = map.sections().get(s);
            Box box = geometry.sections().get(s);
            rectangle(box, "#f8fafc", "#e2e8f0", 1, " rx=\"6\"");
            if (!section.label().isEmpty()) {
                text(box.x() + MapGeometry.PAD, box.y() + 16, section.label(), INK, " font-weight=\"bold\"");
            }
            for (Row each : section.rows()) {
                if (!each.label().isEmpty()) {
                    Box at = geometry.rows().get(row);
                    text(at.x(), at.y() + 10, each.label(), FAINT, " font-size=\"10\"");
                }
                row++;
            }
        }
    }

    /** What is as it should be is one path; what is not is an element each, which says why. */
    private void lines() {
        StringBuilder quiet = new StringBuilder();
        List<Edge> remarked = new ArrayList<>();
        for (Edge edge : map.edges()) {
            if (!edge.remarks().isEmpty()) {
                remarked.add(edge);
            } else if (isDrawn(edge)) {
                int[] line = line(edge);
                quiet.append('M')
                        .append(line[0])
                        .append(' ')
                        .append(line[1])
                        .append('L')
                        .append(line[2])
                        .append(' ')
                        .append(line[3]);
            }
        }
        if (!quiet.isEmpty()) {
            out.append("<path d=\"")
                    .append(quiet)
                    .append("\" stroke=\"")
                    .append(LINE)
                    .append("\" fill=\"none\"/>\n");
        }
        for (Edge edge : remarked) {
            int[] line = line(edge);
            if (sectionOf[edge.from()] == sectionOf[edge.to()] || isDrawn(edge)) {
                writeRemarkedEdge(edge, line[0], line[1], line[2], line[3]);
            } else {
                // All the way it would run across what it has nothing to do with.
                writeRemarkedEdge(edge, line[0], line[1], line[0], line[1] + STUB);
                writeRemarkedEdge(edge, line[2], line[3], line[2], line[3] - STUB);
            }
        }
    }

    private void writeRemarkedEdge(Edge edge, int x1, int y1, int x2, int y2) {
        out.append("<line class=\"remark\" x1=\"")
                .append(x1)
                .append("\" y1=\"")
                .append(y1)
                .append("\" x2=\"")
                .append(x2)
                .append("\" y2=\"")
                .append(y2)
                .append("\" stroke=\"" + WRONG + "\" stroke-width=\"2.5\"")
                .append(edge.cables() == 0 ? " stroke-dasharray=\"6 4\"" : "")
                .append("><title>")
                .append(DisplayText.markup(remarkLines(edge.remarks())))
                .append("</title></line>\n");
    }

    /** Within a section; to the one above where that does not lead through others. */
    private boolean isDrawn(Edge edge) {
        int from = sectionOf[edge.from()];
        int to = sectionOf[edge.to()];
        if (from == to) {
            Section section = map.sections().get(from);
            // Rows of a group are folded into several lines, through which lines between neighbours would be a thicket.
            return !section.grid() || touches(edge);
        }
        boolean toAbove =
                map.sections().get(from).above() || map.sections().get(to).above();
        return toAbove && geometry.oneLine();
    }

    /** Whether the cells are next to each other, so that a line between them crosses no third. */
    private boolean touches(Edge edge) {
        Box one = geometry.cell(edge.from());
        Box other = geometry.cell(edge.to());
        int apart = Math.abs(one.x() - other.x()) + Math.abs(one.y() - other.y());
        return apart <= one.width() + one.width() / 2;
    }

    private int[] line(Edge edge) {
        Box one = geometry.cell(edge.from());
        Box other = geometry.cell(edge.to());
        if (one.y() == other.y()) {
            Box left = one.x() < other.x() ? one : other;
            Box right = left == one ? other : one;
            int y = one.y() + one.height() / 2;
            return new int[] {left.x() + left.width(), y, right.x(), y};
        }
        Box upper = one.y() < other.y() ? one : other;
        Box lower = upper == one ? other : one;
        return new int[] {upper.middle(), upper.bottom(), lower.middle(), lower.y()};
    }

    private void cells() {
        for (Section section : map.sections()) {
            for (Row row : section.rows()) {
                for (Cell cell : row.cells()) {
                    cell(cell, section.grid() && !cell.folded());
                }
            }
        }
    }

    private void cell(Cell cell, boolean small) {
        Box box = geometry.cell(cell.id());
        boolean wrong = !cell.remarks().isEmpty();
        boolean ranks = cell.ranks() > 0;
        out.append("<g data-cell=\"").append(cell.id()).append("\" class=\"cell");
        out.append(ranks ? " ranks" : "").append(wrong ? " wrong" : "").append("\"><title>");
        out.append(DisplayText.markup(title(cell))).append("</title>\n");
        rectangle(
                box,
                ranks ? RANKS : cell.folded() ? "#ffffff" : QUIET,
                wrong ? WRONG : cell.folded() ? FAINT : ranks ? RANKS : LINE,
                wrong ? 3 : 1,
                cell.folded() ? " rx=\"3\" stroke-dasharray=\"4 3\"" : " rx=\"3\"");
        String ink = ranks ? "#ffffff" : INK;
        if (small) {
            if (ranks) {
                String number = cell.ranks() > 999 ? "1k+" : Integer.toString(cell.ranks());
                text(box.middle(), box.y() + 13, number, ink, " font-size=\"8\" text-anchor=\"middle\"");
            } else if (wrong) {
                text(box.middle(), box.y() + 14, "!", WRONG, " font-weight=\"bold\" text-anchor=\"middle\"");
            }
        } else {
            text(box.x() + 6, box.y() + 15, DisplayText.shown(cell.label(), MOST_OF_A_LABEL), ink, "");
            String below =
                    ranks ? DisplayText.count(cell.ranks(), "rank", "ranks") + (cell.devices() > 0 ? " / " : "") : "";
            text(
                    box.x() + 6,
                    box.y() + 30,
                    below + (cell.devices() > 0 ? cell.devices() + (ranks ? " dev" : " devices") : ""),
                    ranks ? "#dbeafe" : FAINT,
                    " font-size=\"10\"");
            if (wrong) {
                text(
                        box.x() + box.width() - 12,
                        box.y() + 30,
                        "!",
                        ranks ? "#ffffff" : WRONG,
                        " font-size=\"14\" font-weight=\"bold\"");
            }
        }
        out.append("</g>\n");
    }

    static String title(Cell cell) {
        StringBuilder title = new StringBuilder(DisplayText.shown(cell.label(), MOST_OF_A_TITLE));
        if (!cell.folded() && !cell.ids().isEmpty() && !cell.ids().getFirst().equals(cell.label())) {
            title.append(" (").append(cell.ids().getFirst()).append(')');
        }
        if (cell.devices() > 0) {
            title.append('\n')
                    .append(DisplayText.count(cell.devices(), "device", "devices"))
                    .append(" of ");
            title.append(FabricMap.hosts(cell.hosts(), MOST_OF_A_TITLE));
        }
        if (cell.ranks() > 0) {
            title.append('\n')
                    .append(DisplayText.count(cell.ranks(), "rank", "ranks"))
                    .append(" on ");
            title.append(FabricMap.hosts(cell.rankHosts(), MOST_OF_A_TITLE));
        }
        if (!cell.remarks().isEmpty()) {
            title.append('\n').append(remarkLines(cell.remarks()));
        }
        return title.toString();
    }

    private static String remarkLines(List<Remark> remarks) {
        return remarks.stream()
                .map(remark -> DisplayText.shown(remark.type() + ": " + remark.message(), MOST_OF_A_TITLE))
                .collect(Collectors.joining("\n"));
    }

    private void rectangle(Box box, String fill, String stroke, int strokeWidth, String more) {
        out.append("<rect x=\"")
                .append(box.x())
                .append("\" y=\"")
                .append(box.y())
                .append("\" width=\"")
                .append(box.width())
                .append("\" height=\"")
                .append(box.height())
                .append("\" fill=\"")
                .append(fill)
                .append("\" stroke=\"")
                .append(stroke)
                .append("\" stroke-width=\"")
                .append(strokeWidth)
                .append('"')
                .append(more)
                .append("/>\n");
    }

    private void text(int x, int y, String words, String fill, String more) {
        if (words.isEmpty()) {
            return;
        }
        out.append("<text x=\"")
                .append(x)
                .append("\" y=\"")
                .append(y)
                .append("\" fill=\"")
                .append(fill)
                .append('"')
                .append(more)
                .append('>')
                .append(DisplayText.markup(words))
                .append("</text>\n");
    }
}
