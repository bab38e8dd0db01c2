/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.formats.map.FabricMap.Cell;
import dev.fabricoperator.formats.map.FabricMap.Gap;
import dev.fabricoperator.formats.map.FabricMap.Row;
import dev.fabricoperator.formats.map.FabricMap.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * Where on a page the parts of a map are, in pixels.
 *
 * <p>Groups of a dragonfly stand in a ring, since each is joined to many. Other sections stand in lines, below the one that is
 * above them all, on a page that is about as wide as a screen is.
 */
final class MapGeometry {
    static final int MARGIN = 20;
    static final int HEADING = 20;
    static final int PAD = 10;

    private static final int NARROWEST_PAGE = 1400;
    private static final double SCREEN = 1.8;
    private static final int CELL_WIDTH = 128;
    private static final int CELL_HEIGHT = 38;
    private static final int SMALL = 20;
    private static final int GAP = 8;
    private static final int SMALL_GAP = 4;
    /** Left of and above a grid, for the numbers of its rows and columns. */
    private static final int NUMBERS = 14;
    /** Between two levels, for the lines between them. */
    private static final int LEVEL_GAP = 46;

    private static final int LINE_LABEL = 14;
    private static final int CELLS_ACROSS_A_PAGE = 10;
    private static final int CELLS_ACROSS_A_SECTION = 4;
    private static final int BETWEEN_SECTIONS = 44;
    private static final int MOST_IN_A_CIRCLE = 32;

    private final boolean irregular;
    private final List<Box> sections = new ArrayList<>();
    private final List<Box> rows = new ArrayList<>();
    private final List<Box> cells = new ArrayList<>();
    private int width;
    private int height;

    /** A rectangle. */
    record Box(int x, int y, int width, int height) {
        int middle() {
            return x + width / 2;
        }

        int center() {
            return y + height / 2;
        }

        int right() {
            return x + width;
        }

        int bottom() {
            return y + height;
        }

        private Box moved(int right, int down) {
            return new Box(x + right, y + down, width, height);
        }
    }

    /** @param top where the first section may begin */
    MapGeometry(FabricMap map, int top) {
        List<Section> drawn = map.sections();
        irregular = map.kind() == FabricKind.Irregular;
        boolean aboveAll = drawn.stream().anyMatch(Section::above);
        boolean ring = !aboveAll
                && drawn.size() > 2
                && (map.kind() == FabricKind.Dragonfly || map.kind() == FabricKind.DragonflyPlus);
        List<Box> sizes = new ArrayList<>();
        long area = 0;
        for (Section section : drawn) {
            Box size =
                    section.above() ? new Box(0, 0, 0, 0) : place(section, across(section, drawn.size(), ring), false);
            sizes.add(size);
            area += (long) (size.width() + BETWEEN_SECTIONS) * (size.height() + BETWEEN_SECTIONS);
        }
        if (ring) {
            ring(sizes, top);
        } else {
            lines(drawn, sizes, top, Math.max(NARROWEST_PAGE, (int) Math.sqrt(area * SCREEN)));
        }
        for (int s = 0; s < drawn.size(); s++) {
            Section section = drawn.get(s);
            Box at = sections.get(s);
            int across = section.above()
                    ? Math.max(1, (at.width() - 2 * PAD + GAP) / (CELL_WIDTH + GAP))
                    : across(section, drawn.size(), ring);
            int firstRow = rows.size();
            int firstCell = cells.size();
            place(section, across, true);
            rows.subList(firstRow, rows.size()).replaceAll(box -> box.moved(at.x(), at.y()));
            cells.subList(firstCell, cells.size()).replaceAll(box -> box.moved(at.x(), at.y()));
            width = Math.max(width, at.right() + MARGIN);
            height = Math.max(height, at.bottom() + MARGIN);
        }
    }

    private static int across(Section section, int sections, boolean ring) {
        int most = section.rows().stream()
                .mapToInt(row -> row.cells().size())
                .max()
                .orElse(1);
        int usual = sections <= 2 ? CELLS_ACROSS_A_PAGE : CELLS_ACROSS_A_SECTION;
        if (ring && section.rows().size() == 1) {
            return most <= CELLS_ACROSS_A_SECTION ? 2 : CELLS_ACROSS_A_SECTION;
        }
        return Math.max(usual, (int) Math.sqrt(most * SCREEN * CELL_HEIGHT / CELL_WIDTH));
    }

    private void lines(List<Section> drawn, List<Box> sizes, int top, int page) {
        int widest = 0;
        int x = MARGIN;
        for (Box size : sizes) {
            x = x > MARGIN && x + size.width() > page - MARGIN ? MARGIN : x;
            x += size.width() + BETWEEN_SECTIONS;
            widest = Math.max(widest, x - BETWEEN_SECTIONS);
        }
        x = MARGIN;
        int y = top;
        int lineHeight = 0;
        for (int s = 0; s < sizes.size(); s++) {
            Box size = sizes.get(s);
            if (drawn.get(s).above()) {
                int most = Math.max(1, (widest - MARGIN - 2 * PAD + GAP) / (CELL_WIDTH + GAP));
                Box above = place(drawn.get(s), most, false);
                sections.add(new Box(x, y, Math.max(above.width(), widest - MARGIN), above.height()));
                y += above.height() + LEVEL_GAP + BETWEEN_SECTIONS;
                continue;
            }
            if (x > MARGIN && x + size.width() > page - MARGIN) {
                x = MARGIN;
                y += lineHeight + BETWEEN_SECTIONS;
                lineHeight = 0;
            }
            sections.add(size.moved(x, y));
            lineHeight = Math.max(lineHeight, size.height());
            x += size.width() + BETWEEN_SECTIONS;
        }
    }

    /** On an ellipse that is as large as it has to be for the sections to stand apart. */
    private void ring(List<Box> sizes, int top) {
        int widest = sizes.stream().mapToInt(Box::width).max().orElse(0);
        int highest = sizes.stream().mapToInt(Box::height).max().orElse(0);
        double step = 2 * Math.PI / sizes.size();
        double radius = (Math.hypot(widest, highest) / SCREEN + BETWEEN_SECTIONS) / (2 * Math.sin(step / 2));
        radius = Math.max(radius, highest * 1.2);
        double wide = Math.max(radius * SCREEN, widest * 1.2);
        for (int s = 0; s < sizes.size(); s++) {
            double angle = s * step - Math.PI / 2;
            Box size = sizes.get(s);
            sections.add(size.moved(
                    MARGIN + (int) (wide + widest / 2.0 + wide * Math.cos(angle)) - size.width() / 2,
                    top + (int) (radius + highest / 2.0 + radius * Math.sin(angle)) - size.height() / 2));
        }
    }

    /** Switches of one level that are cabled as it came: in lines they would hide their cables. */
    private Box circle(List<Cell> drawn, boolean kept) {
        double step = 2 * Math.PI / drawn.size();
        int wide = (int) ((CELL_WIDTH + 2 * GAP) / step);
        int high = (int) Math.max((CELL_HEIGHT + GAP) / step, wide / SCREEN);
        Box all = new Box(0, 0, 2 * wide + CELL_WIDTH + 2 * PAD, 2 * high + CELL_HEIGHT + 2 * PAD);
        for (int i = 0; i < drawn.size() && kept; i++) {
            double angle = i * step - Math.PI / 2;
            cells.add(new Box(
                    PAD + wide + (int) (wide * Math.cos(angle)),
                    PAD + high + (int) (high * Math.sin(angle)),
                    CELL_WIDTH,
                    CELL_HEIGHT));
        }
        if (kept) {
            rows.add(new Box(PAD, PAD, all.width() - 2 * PAD, all.height() - 2 * PAD));
        }
        return all;
    }

    /** As if it began at 0, 0. */
    private Box place(Section section, int across, boolean kept) {
        if (irregular && section.rows().size() == 1 && section.label().isEmpty()) {
            List<Cell> only = section.rows().getFirst().cells();
            if (only.size() > 2
                    && only.size() <= MOST_IN_A_CIRCLE
                    && only.stream().noneMatch(Cell::folded)) {
                return circle(only, kept);
            }
        }
        int left = PAD + (section.placed() ? NUMBERS : 0);
        int y = (section.label().isEmpty() ? 0 : HEADING) + PAD + (section.placed() ? NUMBERS : 0);
        int right = section.label().length() * 7 + PAD;
        for (Row row : section.rows()) {
            for (int i = 0; i < row.cells().size(); i++) {
                Cell cell = row.cells().get(i);
                right = Math.max(
                        right,
                        section.grid() && !cell.folded()
                                ? left + cell.column() * (SMALL + SMALL_GAP) + SMALL
                                : left + Math.min(i + 1, across) * (CELL_WIDTH + GAP) - GAP);
            }
        }
        for (Gap gap : section.gaps()) {
            right = Math.max(right, left + gap.column() * (SMALL + SMALL_GAP) + SMALL);
        }
        for (Row row : section.rows()) {
            int rowTop = y;
            y += row.label().isEmpty() ? 0 : LINE_LABEL;
            int bottom = y + (section.grid() ? SMALL : 0);
            int count = row.cells().size();
            for (int i = 0; i < count; i++) {
                Cell cell = row.cells().get(i);
                int inLine = Math.min(across, count - i / across * across);
                int indent = (right - left - inLine * (CELL_WIDTH + GAP) + GAP) / 2;
                Box box = section.grid() && !cell.folded()
                        ? new Box(left + cell.column() * (SMALL + SMALL_GAP), y, SMALL, SMALL)
                        : new Box(
                                left + indent + i % across * (CELL_WIDTH + GAP),
                                y + i / across * (CELL_HEIGHT + GAP),
                                CELL_WIDTH,
                                CELL_HEIGHT);
                if (kept) {
                    cells.add(box);
                }
                bottom = Math.max(bottom, box.bottom());
            }
            if (kept) {
                rows.add(new Box(left, rowTop, right - left, bottom - rowTop));
            }
            y = bottom + (section.grid() ? SMALL_GAP : LEVEL_GAP);
        }
        int last = section.grid() ? SMALL_GAP : LEVEL_GAP;
        return new Box(0, 0, right + PAD, y - last + PAD);
    }

    /** Where a place without a switch is, in a row of a grid. */
    static Box gap(Box row, Gap gap) {
        return columnOf(row, gap.column());
    }

    /** The place of a column in a row of a grid. */
    static Box columnOf(Box row, int column) {
        return new Box(row.x() + column * (SMALL + SMALL_GAP), row.y(), SMALL, SMALL);
    }

    /** In the order of the sections. */
    List<Box> sections() {
        return sections;
    }

    /** In the order of sections and rows. */
    List<Box> rows() {
        return rows;
    }

    /** By id. */
    Box cell(int id) {
        return cells.get(id);
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }
}
