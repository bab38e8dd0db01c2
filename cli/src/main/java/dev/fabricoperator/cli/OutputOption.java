/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.Resource;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.DisplayText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
     * @throws Failure if names are asked for, which one answer has not
     */
    void print(Object document, Supplier<List<TextTable>> tables) throws IOException, Failure {
        requireNoNames();
        print(document, tables, Stream::empty);
    }

    /** @throws Failure if names are asked for, of a command that lists nothing */
    void requireNoNames() throws Failure {
        if (format == OutputFormat.name) {
            throw Failure.wrongUsage("-o name is for commands that list something: topology, groups, peers, links,"
                    + " check, diff, discover, fits, status and jobs");
        }
    }

    /**
     * As {@link #print(Object, Supplier)}, of several things.
     *
     * @param names of each, for the next command
     */
    void print(Object document, Supplier<List<TextTable>> tables, Supplier<Stream<String>> names) throws IOException {
        print(out -> DocumentWriter.write(format, document, out), tables, names);
    }

    /** With a {@code v1} List of resources as document; their names are those that kubectl takes. */
    void printList(Stream<Resource> resources, Supplier<List<TextTable>> tables) throws IOException {
        print(
                out -> DocumentWriter.writeList(format, resources.iterator(), out),
                tables,
                () -> resources.map(one -> one.kind().toLowerCase(Locale.ROOT) + "."
                        + one.apiVersion().replaceFirst("/.*", "") + "/"
                        + one.metadata().name()));
    }

    @FunctionalInterface
    private interface Document {
        void writeTo(OutputStream out) throws IOException;
    }

    private void print(Document document, Supplier<List<TextTable>> tables, Supplier<Stream<String>> names)
            throws IOException {
        try (OutputStream out = StandardOutput.open()) {
            if (format == OutputFormat.name) {
                for (String name : (Iterable<String>) names.get().distinct()::iterator) {
                    out.write((DisplayText.lines(name).replace("\n", " ") + "\n").getBytes(StandardCharsets.UTF_8));
                }
                return;
            }
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
                table.writeTo(
                        out, StandardOutput.isColoured(), format == OutputFormat.wide ? 0 : StandardOutput.columns());
            }
        }
    }
}
