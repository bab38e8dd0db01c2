/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.answer.FabricAnswers;
import java.io.IOException;
import java.io.OutputStream;

/** All costs of one generation, some rows at a time: whole, the matrix may be more than one answer holds. */
record ServerMatrix(QueryServer server, String fabric, int vertices, long generation, String digest)
        implements FabricAnswers.Matrix {
    private static final int BYTES_OF_AN_ANSWER = 16 << 20;

    @Override
    public void writeRows(OutputStream out) throws IOException {
        int rows = Math.max(1, BYTES_OF_AN_ANSWER / Math.max(1, 2 * vertices));
        QueryServer.Pending next = ask(0, rows);
        for (int from = 0; from < vertices; from += rows) {
            QueryServer.Pending now = next;
            // On its way while these are written.
            next = ask(from + rows, rows);
            out.write(now.bytes());
        }
    }

    private QueryServer.Pending ask(int from, int rows) {
        int last = Math.min(from + rows, vertices) - 1;
        int first = Math.min(from, last);
        return server.ask(fabric, "cost?rows=" + first + "-" + last + "&format=binary&generation=" + generation);
    }
}
