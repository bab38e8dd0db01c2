/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.Resource;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** {@code -o}, the same for every command that has it, and the output in the form that it chooses. */
final class OutputOption {
    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default table.")
    OutputFormat format = OutputFormat.table;

    /**
     * @param document for JSON and YAML
     * @param tables made for people only; a blank line stands between two
     */
    void print(Object document, Supplier<List<TextTable>> tables) throws IOException {
        print(out -> DocumentWriter.write(format, document, out), tables);
    }

    /** As {@link #print(Object, Supplier)}, with a {@code v1} List of resources as document. */
    void printList(Iterator<Resource> resources, Supplier<List<TextTable>> tables) throws IOException {
        print(out -> DocumentWriter.writeList(format, resources, out), tables);
    }

    @FunctionalInterface
    private interface Document {
        void writeTo(OutputStream out) throws IOException;
    }

    private void print(Document document, Supplier<List<TextTable>> tables) throws IOException {
        try (OutputStream out = StandardOutput.open()) {
            if (!format.isTable()) {
                document.writeTo(out);
                return;
            }
            boolean first = true;
            for (TextTable table : tables.get()) {
                if (!first) {
                    out.write('\n');
                }
                first = false;
                table.writeTo(out, StandardOutput.isColoured());
            }
        }
    }
}
