/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

import dev.fabricoperator.fabric.map.FabricMap.Cell;
import dev.fabricoperator.fabric.map.FabricMap.Row;
import dev.fabricoperator.fabric.map.FabricMap.Section;
import java.util.ArrayList;
import java.util.List;

/** Where on a page the parts of a map are, in pixels. */
final class MapGeometry {
    static final int PAGE = 1400;
    static final int MARGIN = 20;
    static final int HEADING = 20;
    static final int PAD = 10;

    private static final int CELL_WIDTH = 128;
    private static final int CELL_HEIGHT = 38;
    private static final int SMALL = 20;
    private static final int GAP = 8;
    private static final int SMALL_GAP = 4;
    /** Between two levels, for the lines between them. */
    private static final int LEVEL_GAP = 46;

    private static final int LINE_LABEL = 14;
    private static final int CELLS_ACROSS_A_PAGE = 10;
    private static final int CELLS_ACROSS_A_SECTION = 4;

    private final List<Box> sections = new ArrayList<>();
    private final List<Box> rows = new ArrayList<>();
    private final List<Box> cells = new ArrayList<>();
    private final boolean oneLine;
    private final int height;

    /** A rectangle. */
    record Box(int x, int y, int width, int height) {
        int middle() {
            return x + width / 2;
        }

        int bottom() {
            return y + height;
        }
    }

    MapGeometry(List<Section> drawn, int top) {
        int x = MARGIN;
        int y = top;
        int lineHeight = 0;
        int lines = 1;
        for (Section section : drawn) {
            boolean wide = section.above() || drawn.size() <= 2;
            Box size = place(section, x, y, wide);
            if (x > MARGIN && x + size.width() > PAGE - MARGIN) {
                forget(section);
                x = MARGIN;
                y += lineHeight + 2 * PAD;
                lineHeight = 0;
                lines++;
                size = place(section, x, y, wide);
            }
            sections.add(size);
            lineHeight = Math.max(lineHeight, size.height());
            x += size.width() + 2 * PAD;
            if (section.above()) {
                x = MARGIN;
                y += lineHeight + LEVEL_GAP;
                lineHeight = 0;
            }
        }
        oneLine = lines == 1;
        height = y + lineHeight + MARGIN;
    }

    private void forget(Section section) {
        for (Row row : section.rows()) {
            rows.removeLast();
            row.cells().forEach(cell -> cells.removeLast());
        }
    }

    private Box place(Section section, int x, int top, boolean wide) {
        int y = top + (section.label().isEmpty() ? 0 : HEADING) + PAD;
        int right = x + section.label().length() * 7;
        for (Row row : section.rows()) {
            int rowTop = y;
            y += row.label().isEmpty() ? 0 : LINE_LABEL;
            int across = section.grid() ? Integer.MAX_VALUE : wide ? CELLS_ACROSS_A_PAGE : CELLS_ACROSS_A_SECTION;
            int bottom = y + (section.grid() ? SMALL : 0);
            for (Cell cell : row.cells()) {
                Box box = section.grid() && !cell.folded()
                        ? new Box(x + PAD + cell.column() * (SMALL + SMALL_GAP), y, SMALL, SMALL)
                        : new Box(
                                x + PAD + cell.column() % across * (CELL_WIDTH + GAP),
                                y + cell.column() / across * (CELL_HEIGHT + GAP),
                                CELL_WIDTH,
                                CELL_HEIGHT);
                cells.add(box);
                right = Math.max(right, box.x() + box.width());
                bottom = Math.max(bottom, box.bottom());
            }
            rows.add(new Box(x + PAD, rowTop, right - x - PAD, bottom - rowTop));
            y = bottom + (section.grid() ? SMALL_GAP : LEVEL_GAP);
        }
        int last = section.grid() ? SMALL_GAP : LEVEL_GAP;
        return new Box(x, top, right - x + PAD, y - last + PAD - top);
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

    /** Whether all sections but the one above stand side by side. */
    boolean oneLine() {
        return oneLine;
    }

    int height() {
        return height;
    }
}
