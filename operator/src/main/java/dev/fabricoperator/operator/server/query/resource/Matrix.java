/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NpyHeader;
import dev.fabricoperator.operator.server.query.http.Format;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Rows and columns of a cost matrix, written row by row: in memory there is one row at a time. */
final class Matrix {
    private final CostMatrix costs;
    private final int[] rows;
    private final int[] cols;
    private final boolean everyColumn;

    Matrix(CostMatrix costs, int[] rows, int[] cols) {
        this.costs = costs;
        this.rows = rows;
        this.cols = cols;
        everyColumn = cols.length == costs.vertices() && isCounting(cols);
    }

    private static boolean isCounting(int[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] != i) {
                return false;
            }
        }
        return true;
    }

    /** A row of as many numbers as there are columns; it is overwritten afterwards. */
    @FunctionalInterface
    interface RowWriter {
        void write(short[] row) throws IOException;
    }

    long bytes() {
        return 2L * rows.length * cols.length;
    }

    void forEachRow(RowWriter to) throws IOException {
        short[] whole = new short[costs.vertices()];
        short[] some = everyColumn ? whole : new short[cols.length];
        for (int from : rows) {
            costs.row(from, whole);
            if (!everyColumn) {
                for (int i = 0; i < cols.length; i++) {
                    some[i] = whole[cols[i]];
                }
            }
            to.write(some);
        }
    }

    /** @param flat one row is an array of one dimension */
    void write(Format format, boolean flat, OutputStream out) throws IOException {
        if (format == Format.npy) {
            out.write(flat ? NpyHeader.of(cols.length) : NpyHeader.of(rows.length, cols.length));
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 * cols.length).order(ByteOrder.LITTLE_ENDIAN);
        forEachRow(row -> {
            bytes.clear();
            bytes.asShortBuffer().put(row, 0, cols.length);
            out.write(bytes.array());
        });
    }
}
