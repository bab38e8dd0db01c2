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
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingDiff;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code diff}: what changed in the cabling between two dumps. */
@Command(
        name = "diff",
        description = {
            "Show which nodes and links a fabric lost and gained.",
            "Between two files, or between a file and the cluster, which is the newer one.",
            "A node is its GUID; a link is guid[port]<->guid[port], the smaller end first. Differences are no failure."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric diff monday.txt.gz tuesday.txt.gz",
            "  kubectl fabric diff monday.txt.gz                 # with the cluster",
            "  ibnetdiscover | kubectl fabric diff monday.txt.gz - -o json"
        })
final class DiffCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..2",
            paramLabel = "[KIND:]FILE",
            converter = SourceArgument.Converter.class,
            description = "The old and the new file; one alone is compared with the cluster, which is the newer one.")
    List<SourceArgument> files = List.of();

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();

    /** The answer in JSON and YAML. */
    @JsonPropertyOrder({"nodesLost", "nodesGained", "linksLost", "linksGained"})
    record Document(
            List<String> nodesLost, List<String> nodesGained, List<String> linksLost, List<String> linksGained) {}

    @Override
    public Integer call() throws IOException, Failure {
        List<Cabling> cablings = new ArrayList<>(CablingFiles.readAll(files));
        if (files.size() == 1) {
            List<Switch> switches = fabric.read(List.of()).switches();
            cablings.set(0, new Cabling("file", cablings.getFirst().switches(), List.of(), 0, List.of()));
            cablings.add(new Cabling("cluster", switches, List.of(), 0, List.of()));
        }
        CablingDiff diff = CablingDiff.between(cablings.get(0), cablings.get(1));
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                writeTable(diff, out);
            } else {
                Document document =
                        new Document(diff.nodesLost(), diff.nodesGained(), diff.linksLost(), diff.linksGained());
                DocumentWriter.write(output.format, document, out);
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
