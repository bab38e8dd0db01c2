/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.formats.map.FabricMap.Bundle;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import dev.fabricoperator.formats.map.FabricMap.Edge;
import dev.fabricoperator.formats.map.FabricMap.Gap;
import dev.fabricoperator.formats.map.FabricMap.Row;
import dev.fabricoperator.formats.map.FabricMap.Section;
import dev.fabricoperator.formats.map.MapGeometry.Box;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A map as SVG, which is as large as what shows it and follows its light or dark scheme. It has no script and asks for nothing;
 * what does not know style sheets draws it light.
 */
public final class SvgWriter {
    private static final int TOP = 72;
    private static final int LEGEND_LINE = 18;
    private static final int LEGEND_WIDTH = 1000;
    private static final int NARROWEST = 620;
    private static final int MOST_OF_A_LABEL = 19;
    private static final int MOST_OF_A_SMALL_LABEL = 10;
    private static final int MOST_OF_A_TITLE = 600;
    private static final int STUB = 14;
    private static final int SMALL_STUB = 4;
    /** More between two levels of a section are a bundle. */
    private static final int MOST_LINES = 400;
    /** Of a link with the most bytes of a job. */
    private static final int WIDEST = 7;

    private static final String PAPER = "#ffffff";
    private static final String FRAME = "#f8fafc";
    private static final String EDGE = "#e2e8f0";
    private static final String INK = "#111827";
    private static final String FAINT = "#6b7280";
    private static final String LINE = "#cbd5e1";
    private static final String BUNDLE = "#94a3b8";
    private static final String QUIET = "#e5e7eb";
    private static final String RANKS = "#1d4ed8";
    private static final String ON_RANKS = "#fefefe";
    private static final String FAINT_ON_RANKS = "#dbeafe";
    private static final String WRONG = "#dc2626";

    /** Colours of a dark page for those that elements have. */
    static final String DARK_STYLE = "@media (prefers-color-scheme: dark) {\n"
            + dark("fill", PAPER, "#0b1220")
            + dark("fill", FRAME, "#111a2b")
            + dark("stroke", EDGE, "#2b3850")
            + dark("fill", INK, "#e5e7eb")
            + dark("fill", FAINT, "#9ca3af")
            + dark("stroke", FAINT, "#9ca3af")
            + dark("stroke", LINE, "#475569")
            + dark("stroke", BUNDLE, "#64748b")
            + dark("fill", QUIET, "#273449")
            + dark("fill", RANKS, "#3b82f6")
            + dark("stroke", RANKS, "#3b82f6")
            + dark("fill", WRONG, "#f87171")
            + dark("stroke", WRONG, "#f87171")
            + "}\n";

    private final FabricMap map;
    private final boolean page;
    private final MapGeometry geometry;
    private final int top;
    private final int[] sectionOf;
    private final int[] rowOf;
    private final List<List<Edge>> edgesOf = new ArrayList<>();
    private final int usualBundle;
    private final StringBuilder out = new StringBuilder();

    private static String dark(String attribute, String light, String dark) {
        return "[" + attribute + "=\"" + light + "\"] { " + attribute + ": " + dark + "; }\n";
    }

    /** @param page whether it is a part of a page that has the heading and the legend itself, and a script that zooms */
    private SvgWriter(FabricMap map, boolean page) {
        this.map = map;
        this.page = page;
        top = page ? MapGeometry.MARGIN : TOP + legendLines(legend(), LEGEND_WIDTH) * LEGEND_LINE;
        geometry = new MapGeometry(map, top);
        sectionOf = new int[map.cells().size()];
        rowOf = new int[map.cells().size()];
        int row = 0;
        for (int s = 0; s < map.sections().size(); s++) {
            edgesOf.add(new ArrayList<>());
            for (Row each : map.sections().get(s).rows()) {
                for (Cell cell : each.cells()) {
                    sectionOf[cell.id()] = s;
                    rowOf[cell.id()] = row;
                }
                row++;
            }
        }
        for (Edge edge : map.edges()) {
            edgesOf.get(sectionOf[edge.from()]).add(edge);
            if (sectionOf[edge.from()] != sectionOf[edge.to()]
                    && !edge.remarks().isEmpty()) {
                edgesOf.get(sectionOf[edge.to()]).add(edge);
            }
        }
        usualBundle = usualBundle(map);
    }

    /** What most bundles between ordinary sections have; 0 where none is drawn. */
    private static int usualBundle(FabricMap map) {
        Map<Integer, Long> counts = map.bundles().stream()
                .filter(bundle -> !isToAbove(map, bundle))
                .collect(Collectors.groupingBy(Bundle::cables, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(0);
    }

    private static boolean isToAbove(FabricMap map, Bundle bundle) {
        return map.sections().get(bundle.from()).above()
                || map.sections().get(bundle.to()).above();
    }

    /** A whole document. */
    public static String write(FabricMap map) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + new SvgWriter(map, false).picture();
    }

    /** The drawing alone, for a page. Cells carry their id as {@code data-cell}, sections and planes their numbers. */
    static String drawing(FabricMap map) {
        return new SvgWriter(map, true).drawing();
    }

    /** What the signs mean, for a page. */
    static String legend(FabricMap map) {
        SvgWriter writer = new SvgWriter(map, true);
        List<Sign> signs = writer.legend();
        int height = legendLines(signs, LEGEND_WIDTH) * LEGEND_LINE;
        writer.begin(
                LEGEND_WIDTH, height, " class=\"legend\" width=\"" + LEGEND_WIDTH + "\" height=\"" + height + "\"");
        writer.legend(signs, 0, 2);
        return writer.out.append("</svg>\n").toString();
    }

    private void begin(int width, int height, String more) {
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"11\"")
                .append(more)
                .append(">\n");
    }

    private String picture() {
        int width = Math.max(
                geometry.width(),
                Math.max(NARROWEST, Math.min(LEGEND_WIDTH, legendWidth(legend())) + 2 * MapGeometry.MARGIN));
        begin(width, height(), "");
        out.append("<title>").append(DisplayText.markup(map.title())).append("</title>\n");
        out.append("<style>").append(DARK_STYLE).append("</style>\n");
        rectangle(new Box(0, 0, width, height()), PAPER, "none", 0, "");
        text(MapGeometry.MARGIN, 30, map.title(), INK, " font-size=\"18\" font-weight=\"bold\"");
        text(MapGeometry.MARGIN, 50, map.counts(), INK, " font-size=\"12\"");
        String job = map.jobSentence();
        if (job != null) {
            text(MapGeometry.MARGIN, 68, job, RANKS, " font-size=\"12\"");
        }
        legend(legend(), MapGeometry.MARGIN, TOP + 4);
        parts();
        return out.append("</svg>\n").toString();
    }

    private int height() {
        return geometry.height() + (map.bundles().stream().anyMatch(this::isArc) ? 32 : 0);
    }

    private String drawing() {
        begin(geometry.width(), height(), " id=\"drawing\" role=\"img\"");
        parts();
        return out.append("<g id=\"cables\"></g>\n</svg>\n").toString();
    }

    private void parts() {
        out.append("<g>\n");
        for (int b = 0; b < map.bundles().size(); b++) {
            bundle(b);
        }
        out.append("</g>\n");
        int firstRow = 0;
        for (int s = 0; s < map.sections().size(); s++) {
            section(s, firstRow);
            firstRow += map.sections().get(s).rows().size();
        }
        flows();
    }

    /** As wide as their bytes, the widest below the others: one line each where they can be told apart, else one path for all that look the same. */
    private void flows() {
        List<Edge> flows = map.flows();
        long most = flows.isEmpty() ? 1 : flows.getFirst().bytesPerSecond();
        Map<String, StringBuilder> together = new LinkedHashMap<>();
        for (Edge edge : flows) {
            long width = 1 + WIDEST * edge.bytesPerSecond() / most;
            String look = " fill=\"none\" stroke-opacity=\"0.6\" stroke=\"" + (edge.hot() ? WRONG : RANKS)
                    + "\" stroke-width=\"" + width + "\"" + (edge.isImpaired() ? " stroke-dasharray=\"8 5\"" : "");
            if (flows.size() > MOST_LINES) {
                flow(together.computeIfAbsent(look, any -> new StringBuilder()), edge);
            } else {
                StringBuilder path = new StringBuilder();
                flow(path, edge);
                out.append("<path d=\"").append(path).append('"').append(look).append("><title>");
                out.append(DisplayText.markup(DisplayText.shown(words(edge), MOST_OF_A_TITLE)))
                        .append("</title></path>\n");
            }
        }
        together.forEach((look, path) ->
                out.append("<path d=\"").append(path).append('"').append(look).append("/>\n"));
    }

    private String words(Edge edge) {
        return map.cells().get(edge.from()).label() + " to "
                + map.cells().get(edge.to()).label() + ": " + edge.sentence();
    }

    /** Bent around what stands between two places of a grid. */
    private void flow(StringBuilder path, Edge edge) {
        Box one = geometry.cell(edge.from());
        Box other = geometry.cell(edge.to());
        boolean across = one.y() == other.y();
        boolean inOneGrid = sectionOf[edge.from()] == sectionOf[edge.to()]
                && map.sections().get(sectionOf[edge.from()]).grid();
        if (inOneGrid && (across || one.x() == other.x()) && !touches(edge)) {
            int bend = one.height() * 3 / 4;
            path.append('M').append(across ? one.middle() : one.x());
            path.append(' ').append(across ? one.y() : one.center());
            path.append('Q')
                    .append(across ? (one.middle() + other.middle()) / 2 : one.x() - bend)
                    .append(' ')
                    .append(across ? one.y() - bend : (one.center() + other.center()) / 2)
                    .append(' ')
                    .append(across ? other.middle() : other.x())
                    .append(' ')
                    .append(across ? other.y() : other.center());
        } else {
            move(path, line(edge));
        }
    }

    /** A sign of the legend: a box, or a line where its fill is empty. */
    private record Sign(String fill, String stroke, int width, String more, String words) {}

    private List<Sign> legend() {
        List<Sign> signs = new ArrayList<>();
        List<Cell> cells = map.cells();
        signs.add(new Sign(QUIET, LINE, 1, "", "a switch"));
        if (map.job() != null) {
            signs.add(new Sign(RANKS, RANKS, 1, "", "has ranks of the job"));
        }
        if (!map.remarks().isEmpty()) {
            signs.add(new Sign(PAPER, WRONG, 3, "", "! something to look at"));
        }
        if (map.sections().stream().anyMatch(section -> !section.gaps().isEmpty())) {
            signs.add(new Sign(PAPER, WRONG, 2, " stroke-dasharray=\"3 2\"", "no switch where one should be"));
        }
        if (cells.stream().anyMatch(Cell::folded)) {
            signs.add(new Sign(PAPER, FAINT, 1, " stroke-dasharray=\"3 2\"", "several switches, counted"));
        }
        if (!map.edges().isEmpty()) {
            signs.add(new Sign("", LINE, 1, "", "cables of two switches"));
        }
        if (!map.bundles().isEmpty()) {
            int usual = usualBundle(map);
            boolean up = map.bundles().stream().allMatch(bundle -> isToAbove(map, bundle));
            String number = up ? " or levels, with their number" : ": " + usual + " where no number stands";
            signs.add(new Sign(
                    "", BUNDLE, 4, "", "all cables of two " + MapBuilder.sectionWord(map.kind()) + "s" + number));
        }
        boolean fewer = map.edges().stream()
                        .anyMatch(edge -> edge.cables() > 0 && !edge.remarks().isEmpty())
                || map.bundles().stream()
                        .anyMatch(bundle ->
                                bundle.cables() > 0 && !bundle.remarks().isEmpty());
        boolean none = map.edges().stream()
                        .anyMatch(edge -> edge.cables() == 0 && !edge.remarks().isEmpty())
                || map.bundles().stream()
                        .anyMatch(bundle ->
                                bundle.cables() == 0 && !bundle.remarks().isEmpty());
        if (fewer) {
            signs.add(new Sign("", WRONG, 2, "", "cables with something to look at"));
        }
        if (none) {
            signs.add(new Sign("", WRONG, 2, " stroke-dasharray=\"6 4\"", "no cable that is up"));
        }
        List<Edge> flows = map.flows();
        if (!flows.isEmpty()) {
            signs.add(new Sign(
                    "",
                    RANKS,
                    1 + WIDEST,
                    "",
                    "bytes of the job, here "
                            + DisplayText.bytes(flows.getFirst().bytesPerSecond()) + "/s"));
        }
        if (flows.stream().anyMatch(Edge::hot)) {
            signs.add(new Sign("", WRONG, 4, "", "a port that holds others up"));
        }
        if (flows.stream().anyMatch(Edge::isImpaired)) {
            signs.add(new Sign("", RANKS, 4, " stroke-dasharray=\"8 5\"", "a link that may be about to fail"));
        }
        String places = places();
        if (!places.isEmpty()) {
            signs.add(new Sign("", "none", 1, "", places));
        }
        return signs;
    }

    /** How coordinates are read, and which cables of a grid are not drawn. */
    private String places() {
        Section grid =
                map.sections().stream().filter(Section::placed).findFirst().orElse(null);
        if (grid == null) {
            return "";
        }
        String axes = grid.label().isEmpty() ? "coordinates: row, column" : "coordinates: slice, row, column";
        return switch (map.kind()) {
            case HyperX -> axes + "; each is joined to all of its row and of its column";
            case Torus -> axes + "; short lines at an edge lead to the other end";
            case Mesh, FatTree, RailOptimized, Dragonfly, DragonflyPlus, Irregular, Flat -> axes;
        };
    }

    private static int width(Sign sign) {
        return 26 + (int) (sign.words().length() * 6.6) + 16;
    }

    private static int legendWidth(List<Sign> signs) {
        return signs.stream().mapToInt(SvgWriter::width).sum();
    }

    private static int legendLines(List<Sign> signs, int width) {
        int lines = 1;
        int x = 0;
        for (Sign sign : signs) {
            if (x > 0 && x + width(sign) > width) {
                lines++;
                x = 0;
            }
            x += width(sign);
        }
        return lines;
    }

    private void legend(List<Sign> signs, int left, int top) {
        int x = 0;
        int y = top;
        for (Sign sign : signs) {
            if (x > 0 && x + width(sign) > LEGEND_WIDTH) {
                x = 0;
                y += LEGEND_LINE;
            }
            if (sign.fill().isEmpty()) {
                line(left + x, y + 6, left + x + 20, y + 6, sign.stroke(), sign.width(), sign.more());
            } else {
                rectangle(new Box(left + x + 4, y, 12, 12), sign.fill(), sign.stroke(), sign.width(), sign.more());
            }
            text(left + x + 26, y + 10, sign.words(), FAINT, "");
            x += width(sign);
        }
    }

    private boolean isArc(Bundle bundle) {
        Box one = geometry.sections().get(bundle.from());
        Box other = geometry.sections().get(bundle.to());
        return map.sections().get(bundle.from()).grid()
                && map.kind() != FabricKind.Dragonfly
                && one.y() == other.y()
                && Math.abs(bundle.from() - bundle.to()) > 1;
    }

    /** Behind the frames, so that it is seen between them alone. */
    private void bundle(int number) {
        Bundle bundle = map.bundles().get(number);
        Box one = geometry.sections().get(bundle.from());
        Box other = geometry.sections().get(bundle.to());
        boolean toAbove = isToAbove(map, bundle);
        // Where single cables are missing the switches say so.
        boolean wrong = !bundle.remarks().isEmpty() && (!toAbove || bundle.cables() == 0);
        String words = toAbove
                ? DisplayText.count(bundle.cables(), "cable", "cables")
                : bundle.cables() == usualBundle ? "" : Integer.toString(bundle.cables());
        int[] ends;
        int labelX;
        int labelY;
        String path = "";
        if (toAbove) {
            Box above = map.sections().get(bundle.from()).above() ? one : other;
            Box below = above == one ? other : one;
            // Bundles to sections of several lines stand beside each other.
            int lineNumber = (below.y() - above.bottom()) / (below.height() + 1);
            int x = below.x() + below.width() * (3 + lineNumber % 4) / 8;
            ends = new int[] {x, above.bottom(), x, below.y()};
            labelX = x + 7;
            labelY = below.y() - 7;
        } else if (isArc(bundle)) {
            int depth = 40 + 4 * Math.min(8, Math.abs(bundle.from() - bundle.to()));
            ends = new int[] {one.middle(), one.bottom(), other.middle(), other.bottom()};
            path = "M" + ends[0] + " " + ends[1] + "C" + ends[0] + " " + (ends[1] + depth) + " " + ends[2] + " "
                    + (ends[3] + depth) + " " + ends[2] + " " + ends[3];
            labelX = (ends[0] + ends[2]) / 2;
            labelY = ends[1] + depth * 3 / 4 - 4;
        } else {
            ends = new int[] {one.middle(), one.center(), other.middle(), other.center()};
            boolean side = one.y() == other.y();
            labelX = side
                    ? Math.min(one.right(), other.right()) + 6
                    : one.middle() + (other.middle() - one.middle()) / 3 + 5;
            labelY = side ? one.center() - 6 : one.center() + (other.center() - one.center()) / 3;
        }
        int thick = Math.min(5, 1 + (31 - Integer.numberOfLeadingZeros(Math.max(1, bundle.cables()))) / 2);
        out.append(path.isEmpty() ? "<line" : "<path fill=\"none\" d=\"" + path + "\"");
        if (path.isEmpty()) {
            out.append(" x1=\"").append(ends[0]).append("\" y1=\"").append(ends[1]);
            out.append("\" x2=\"")
                    .append(ends[2])
                    .append("\" y2=\"")
                    .append(ends[3])
                    .append('"');
        }
        out.append(" stroke=\"")
                .append(wrong ? WRONG : BUNDLE)
                .append("\" stroke-width=\"")
                .append(wrong ? Math.max(2, thick) : thick)
                .append('"')
                .append(wrong && bundle.cables() == 0 ? " stroke-dasharray=\"6 4\"" : "")
                .append(page ? " data-bundle=\"" + number + "\"" : "")
                .append("><title>")
                .append(DisplayText.markup(title(bundle)))
                .append(path.isEmpty() ? "</title></line>\n" : "</title></path>\n");
        String counted = page ? " data-count=\"" + number + "\"" : "";
        // Where planes can be hidden there may be a number later.
        write(labelX, labelY, words, wrong ? WRONG : FAINT, counted, page);
    }

    private String title(Bundle bundle) {
        return DisplayText.shown(map.sections().get(bundle.from()).label(), MOST_OF_A_TITLE) + " to "
                + DisplayText.shown(map.sections().get(bundle.to()).label(), MOST_OF_A_TITLE) + ": "
                + DisplayText.count(bundle.cables(), "cable", "cables")
                + (bundle.remarks().isEmpty() ? "" : "\n" + remarkLines(bundle.remarks()));
    }

    private void section(int number, int firstRow) {
        Section section = map.sections().get(number);
        Box box = geometry.sections().get(number);
        boolean wrong = !section.remarks().isEmpty();
        out.append("<g class=\"section\"")
                .append(page ? " data-section=\"" + number + "\"" : "")
                .append(">\n");
        if (wrong) {
            out.append("<title>")
                    .append(DisplayText.markup(remarkLines(section.remarks())))
                    .append("</title>\n");
        }
        rectangle(box, FRAME, wrong ? WRONG : EDGE, wrong ? 2 : 1, " rx=\"6\"");
        text(
                box.x() + MapGeometry.PAD,
                box.y() + 16,
                (wrong ? "! " : "") + section.label(),
                wrong ? WRONG : INK,
                " font-weight=\"bold\"");
        out.append("<g class=\"near\">\n");
        for (int r = 0; r < section.rows().size(); r++) {
            Box at = geometry.rows().get(firstRow + r);
            text(at.x(), at.y() + 10, section.rows().get(r).label(), FAINT, " font-size=\"10\"");
            if (section.placed()) {
                text(at.x() - 5, at.y() + 14, Integer.toString(r), FAINT, " font-size=\"9\" text-anchor=\"end\"");
            }
        }
        if (section.placed()) {
            columnNumbers(section, geometry.rows().get(firstRow));
        }
        lines(number);
        for (Gap gap : section.gaps()) {
            gap(gap, MapGeometry.gap(geometry.rows().get(firstRow + gap.row()), gap));
        }
        for (Cell cell : section.cells()) {
            cell(cell, section.grid() && !cell.folded());
        }
        out.append("</g>\n");
        if (page) {
            far(section, box);
        }
        out.append("</g>\n");
    }

    private void columnNumbers(Section section, Box first) {
        int last = Math.max(
                section.cells().stream().mapToInt(Cell::column).max().orElse(0),
                section.gaps().stream().mapToInt(Gap::column).max().orElse(0));
        for (int column = 0; column <= last; column++) {
            Box at = MapGeometry.columnOf(first, column);
            text(at.middle(), at.y() - 5, Integer.toString(column), FAINT, " font-size=\"9\" text-anchor=\"middle\"");
        }
    }

    /** What a section is from afar: its name and what is counted in it. */
    private void far(Section section, Box box) {
        List<String> words = new ArrayList<>();
        words.add(section.label().isEmpty() ? DisplayText.shown(map.fabric(), MOST_OF_A_LABEL) : section.label());
        int switches =
                section.cells().stream().mapToInt(cell -> cell.ids().size()).sum();
        int devices = section.cells().stream().mapToInt(Cell::devices).sum();
        int ranks = section.cells().stream().mapToInt(Cell::ranks).sum();
        long findings = section.cells().stream()
                        .flatMap(cell -> cell.remarks().stream())
                        .distinct()
                        .count()
                + section.remarks().size()
                + section.gaps().size();
        words.add(DisplayText.count(switches, "switch", "switches"));
        if (devices > 0) {
            words.add(DisplayText.count(devices, "device", "devices"));
        }
        if (ranks > 0) {
            words.add(DisplayText.count(ranks, "rank", "ranks"));
        }
        if (findings > 0) {
            words.add(DisplayText.count(findings, "finding", "findings"));
        }
        int longest = words.stream().mapToInt(String::length).max().orElse(1);
        int size = Math.max(8, Math.min(box.height() / (words.size() + 2), (int) (box.width() / (longest * 0.68))));
        out.append("<g class=\"far\">\n");
        if (ranks > 0 || findings > 0) {
            rectangle(box, findings > 0 ? PAPER : FRAME, findings > 0 ? WRONG : RANKS, size / 4, " rx=\"6\"");
        } else {
            rectangle(box, QUIET, LINE, 1, " rx=\"6\"");
        }
        int y = box.center() - (words.size() - 2) * size * 11 / 20;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            String ink = word.contains("finding") && i > 0 ? WRONG : word.contains("rank") && i > 0 ? RANKS : INK;
            text(
                    box.middle(),
                    y + i * size * 11 / 10,
                    DisplayText.shown(word, MOST_OF_A_TITLE),
                    ink,
                    " text-anchor=\"middle\" font-size=\"" + size + (i == 0 ? "\" font-weight=\"bold\"" : "\""));
        }
        out.append("</g>\n");
    }

    private void gap(Gap gap, Box box) {
        out.append("<g class=\"gap\"><title>")
                .append(DisplayText.markup(remarkLines(List.of(gap.remark()))))
                .append("</title>\n");
        rectangle(box, PAPER, WRONG, 2, " rx=\"3\" stroke-dasharray=\"3 2\"");
        text(box.middle(), box.y() + 14, "!", WRONG, " font-weight=\"bold\" text-anchor=\"middle\"");
        out.append("</g>\n");
    }

    /** What is as it should be is one path of each plane; what is not is an element each, which says why. */
    private void lines(int number) {
        Section section = map.sections().get(number);
        SortedMap<Integer, StringBuilder> quiet = new TreeMap<>();
        Map<Integer, List<Edge>> byRows = new HashMap<>();
        List<Edge> remarked = new ArrayList<>();
        for (Edge edge : edgesOf.get(number)) {
            if (edge.bytesPerSecond() > 0 && (edge.remarks().isEmpty() || edge.isImpaired())) {
                continue;
            }
            if (!edge.remarks().isEmpty()) {
                remarked.add(edge);
            } else if (sectionOf[edge.from()] == sectionOf[edge.to()]) {
                int rows = Math.min(rowOf[edge.from()], rowOf[edge.to()]);
                byRows.computeIfAbsent(section.grid() ? 0 : rows, r -> new ArrayList<>())
                        .add(edge);
            }
        }
        byRows.forEach((row, edges) -> {
            if (!section.grid() && edges.size() > MOST_LINES) {
                levels(row, edges);
                return;
            }
            for (Edge edge : edges) {
                int plane = Math.max(
                        map.cells().get(edge.from()).plane(),
                        map.cells().get(edge.to()).plane());
                StringBuilder path = quiet.computeIfAbsent(plane, p -> new StringBuilder());
                if (!section.grid() || touches(edge)) {
                    move(path, line(edge));
                } else if (section.placed() && map.kind() == FabricKind.Torus) {
                    around(path, edge);
                }
            }
        });
        quiet.forEach((plane, path) -> {
            if (!path.isEmpty()) {
                out.append("<path d=\"")
                        .append(path)
                        .append("\" stroke=\"" + LINE + "\" fill=\"none\"")
                        .append(page && plane >= 0 ? " data-plane=\"" + plane + "\"" : "")
                        .append("/>\n");
            }
        });
        for (Edge edge : remarked) {
            int[] line = line(edge);
            if (sectionOf[edge.from()] == sectionOf[edge.to()]) {
                writeRemarkedEdge(edge, line[0], line[1], line[2], line[3]);
            } else {
                // All the way it would run across what it has nothing to do with.
                boolean fromUpper = sectionOf[upper(edge)] == number;
                int stub = section.grid() ? SMALL_STUB : STUB;
                int x = fromUpper ? line[0] : line[2];
                int y = fromUpper ? line[1] : line[3];
                writeRemarkedEdge(edge, x, y, x, fromUpper ? y + stub : y - stub);
            }
        }
    }

    /** All cables between two levels, where they are too many to be told apart. */
    private void levels(int upperRow, List<Edge> edges) {
        Box upper = geometry.rows().get(upperRow);
        Box lower = geometry.rows().get(upperRow + 1);
        int cables = edges.stream().mapToInt(Edge::cables).sum();
        line(upper.middle(), upper.bottom(), upper.middle(), lower.y(), BUNDLE, 8, "");
        text(
                upper.middle() + 10,
                (upper.bottom() + lower.y()) / 2 + 4,
                DisplayText.count(cables, "cable", "cables"),
                FAINT,
                "");
    }

    private static void move(StringBuilder path, int[] line) {
        path.append('M').append(line[0]).append(' ').append(line[1]);
        path.append('L').append(line[2]).append(' ').append(line[3]);
    }

    private void around(StringBuilder path, Edge edge) {
        Box one = geometry.cell(edge.from());
        Box other = geometry.cell(edge.to());
        if (one.y() == other.y()) {
            Box left = one.x() < other.x() ? one : other;
            Box right = left == one ? other : one;
            move(path, new int[] {left.x() - SMALL_STUB, left.center(), left.x(), left.center()});
            move(path, new int[] {right.right(), right.center(), right.right() + SMALL_STUB, right.center()});
        } else if (one.x() == other.x()) {
            Box upper = one.y() < other.y() ? one : other;
            Box lower = upper == one ? other : one;
            move(path, new int[] {upper.middle(), upper.y() - SMALL_STUB, upper.middle(), upper.y()});
            move(path, new int[] {lower.middle(), lower.bottom(), lower.middle(), lower.bottom() + SMALL_STUB});
        }
    }

    private int upper(Edge edge) {
        return geometry.cell(edge.from()).y() < geometry.cell(edge.to()).y() ? edge.from() : edge.to();
    }

    private void writeRemarkedEdge(Edge edge, int x1, int y1, int x2, int y2) {
        int plane = plane(edge);
        out.append("<line class=\"remark\"")
                .append(page && plane >= 0 ? " data-plane=\"" + plane + "\"" : "")
                .append(" x1=\"")
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

    /** Of the end that has one; -1 where neither has. */
    private int plane(Edge edge) {
        return Math.max(
                map.cells().get(edge.from()).plane(), map.cells().get(edge.to()).plane());
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

    private void cell(Cell cell, boolean small) {
        Box box = geometry.cell(cell.id());
        boolean wrong = !cell.remarks().isEmpty();
        boolean ranks = cell.ranks() > 0;
        out.append("<g data-cell=\"").append(cell.id()).append("\" class=\"cell");
        out.append(ranks ? " ranks" : "").append(wrong ? " wrong" : "").append('"');
        if (page) {
            // What a picture says by itself a page says beside it.
            out.append(cell.plane() >= 0 ? " data-plane=\"" + cell.plane() + "\">\n" : ">\n");
        } else {
            out.append("><title>").append(DisplayText.markup(title(cell))).append("</title>\n");
        }
        rectangle(
                box,
                ranks ? RANKS : cell.folded() ? PAPER : QUIET,
                wrong ? WRONG : cell.folded() ? FAINT : ranks ? RANKS : LINE,
                wrong ? 3 : 1,
                cell.folded() ? " rx=\"3\" stroke-dasharray=\"4 3\"" : " rx=\"3\"");
        String ink = ranks ? ON_RANKS : INK;
        if (small) {
            if (ranks) {
                String number = cell.ranks() > 999 ? "1k+" : Integer.toString(cell.ranks());
                text(box.middle(), box.y() + 13, number, ink, " font-size=\"8\" text-anchor=\"middle\"");
            } else if (wrong) {
                text(box.middle(), box.y() + 14, "!", WRONG, " font-weight=\"bold\" text-anchor=\"middle\"");
            }
            if (page) {
                text(
                        box.middle(),
                        box.y() + 4,
                        DisplayText.shown(cell.label(), MOST_OF_A_SMALL_LABEL),
                        ink,
                        " class=\"name\" font-size=\"3\" text-anchor=\"middle\"");
            }
        } else {
            text(box.x() + 6, box.y() + 15, DisplayText.shown(cell.label(), MOST_OF_A_LABEL), ink, "");
            boolean numbered = !cell.rankNumbers().isEmpty();
            String below = ranks ? cell.ranksInWords(MOST_OF_A_LABEL) : "";
            String devices = cell.devices() == 0 || numbered
                    ? ""
                    : ranks ? " / " + cell.devices() + " dev" : DisplayText.count(cell.devices(), "device", "devices");
            text(box.x() + 6, box.y() + 30, below + devices, ranks ? FAINT_ON_RANKS : FAINT, " font-size=\"10\"");
            if (wrong) {
                text(
                        box.x() + box.width() - 12,
                        box.y() + 30,
                        "!",
                        ranks ? ON_RANKS : WRONG,
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
            title.append('\n').append(cell.ranksInWords(MOST_OF_A_TITLE)).append(" on ");
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

    private void line(int x1, int y1, int x2, int y2, String stroke, int strokeWidth, String more) {
        out.append("<line x1=\"").append(x1).append("\" y1=\"").append(y1);
        out.append("\" x2=\"").append(x2).append("\" y2=\"").append(y2);
        out.append("\" stroke=\"").append(stroke).append("\" stroke-width=\"").append(strokeWidth);
        out.append('"').append(more).append("/>\n");
    }

    private void text(int x, int y, String words, String fill, String more) {
        write(x, y, words, fill, more, false);
    }

    private void write(int x, int y, String words, String fill, String more, boolean evenIfEmpty) {
        if (words.isEmpty() && !evenIfEmpty) {
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
