/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingDiff;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code diff}: what changed in the cabling between two dumps. */
@Command(
        name = "diff",
        description = {
            "Show which nodes and links a fabric lost and gained between two dumps.",
            "A node is its GUID; a link is guid[port]<->guid[port], the smaller end first. Differences are no failure."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric diff ibnetdiscover:monday.txt.gz ibnetdiscover:tuesday.txt.gz",
            "  ibnetdiscover | kubectl fabric diff ibnetdiscover:monday.txt.gz ibnetdiscover:- -o json"
        })
final class DiffCommand implements Callable<Integer> {
    @Parameters(
            index = "0..1",
            arity = "2",
            paramLabel = "KIND:OLD KIND:NEW",
            hideParamSyntax = true,
            converter = SourceArgument.Converter.class,
            description = "The two dumps; KIND is ibnetdiscover, the path may be '-' for standard input.")
    List<SourceArgument> dumps = List.of();

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default table.")
    OutputFormat format = OutputFormat.table;

    /** The answer in JSON and YAML. */
    @JsonPropertyOrder({"nodesLost", "nodesGained", "linksLost", "linksGained"})
    record Document(
            List<String> nodesLost, List<String> nodesGained, List<String> linksLost, List<String> linksGained) {}

    @Override
    public Integer call() throws IOException, Failure {
        List<Cabling> cablings = CablingFiles.readAll(dumps);
        CablingDiff diff = CablingDiff.between(cablings.get(0), cablings.get(1));
        try (OutputStream out = StandardOutput.open()) {
            if (format == OutputFormat.table) {
                writeTable(diff, out);
            } else {
                Document document =
                        new Document(diff.nodesLost(), diff.nodesGained(), diff.linksLost(), diff.linksGained());
                DocumentWriter.write(format, document, out);
            }
        }
        return 0;
    }

    private static void writeTable(CablingDiff diff, OutputStream out) throws IOException {
        TextTable table = new TextTable("CHANGE", "KIND", "ID");
        diff.nodesLost().forEach(id -> table.row("lost", "node", id));
        diff.nodesGained().forEach(id -> table.row("gained", "node", id));
        diff.linksLost().forEach(id -> table.row("lost", "link", id));
        diff.linksGained().forEach(id -> table.row("gained", "link", id));
        table.writeTo(out);
    }
}
