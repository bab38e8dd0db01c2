/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.fabric.cost.NpyHeader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A cost matrix in NumPy's file format: little-endian unsigned 16 bit, C order, shape (n, n); row = from.
 *
 * <p>Cost: 2 n bytes of memory, since a row is expanded, written and forgotten; 2 n^2 + 128 bytes of file.
 *
 * @see "NumPy Enhancement Proposal 1, format version 1.0"
 */
public final class NpyFile {
    private static final int BUFFER_BYTES = 1 << 16;

    private NpyFile() {}

    /**
     * Writes beside {@code file} and renames, so that nobody ever reads half a matrix. What is there and no regular
     * file (a FIFO, {@code /dev/stdout}) is written directly.
     */
    public static void write(FabricAnswers.Matrix matrix, Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
                write(matrix, out);
            }
            return;
        }
        // A symbolic link stays one: what it points to is replaced.
        Path target = Files.exists(file, LinkOption.NOFOLLOW_LINKS) && Files.exists(file)
                ? file.toRealPath()
                : file.toAbsolutePath();
        String name = "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp";
        Path written = target.resolveSibling(name);
        try {
            try (OutputStream out = Files.newOutputStream(written, StandardOpenOption.CREATE_NEW)) {
                write(matrix, out);
            }
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(written);
        }
    }

    private static void write(FabricAnswers.Matrix matrix, OutputStream to) throws IOException {
        OutputStream out = new BufferedOutputStream(to, BUFFER_BYTES);
        out.write(NpyHeader.of(matrix.vertices(), matrix.vertices()));
        matrix.writeRows(out);
        out.flush();
    }
}
