/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingDiff;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
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
final class DiffCommand extends FabricCommand {
    @Parameters(
            arity = "1..2",
            paramLabel = "[KIND:]FILE",
            description = "The old and the new file; one alone is compared with the cluster, which is the newer one.")
    List<SourceArgument> files = List.of();

    /** The answer in JSON and YAML. */
    @JsonPropertyOrder({"nodesLost", "nodesGained", "linksLost", "linksGained"})
    record Document(
            List<String> nodesLost, List<String> nodesGained, List<String> linksLost, List<String> linksGained) {}

    @Override
    public Integer call() throws IOException, Failure {
        // The arity is that of one occurrence, of which picocli takes as many as there are.
        if (files.size() > 2) {
            throw Failure.wrongUsage("two files can be compared, not " + files.size());
        }
        List<Cabling> cablings = new ArrayList<>(CablingFiles.readAll(files));
        if (files.size() == 1) {
            List<Switch> switches = fabric.read(List.of()).switches();
            cablings.set(0, new Cabling("file", cablings.getFirst().switches(), List.of(), 0, List.of()));
            cablings.add(new Cabling("cluster", switches, List.of(), 0, List.of()));
        }
        CablingDiff diff = CablingDiff.between(cablings.get(0), cablings.get(1));
        Document document = new Document(diff.nodesLost(), diff.nodesGained(), diff.linksLost(), diff.linksGained());
        output.print(document, () -> List.of(table(diff)));
        return 0;
    }

    private static TextTable table(CablingDiff diff) {
        TextTable table = new TextTable("CHANGE", "KIND", "ID");
        diff.nodesLost().forEach(id -> table.row("lost", "node", id));
        diff.nodesGained().forEach(id -> table.row("gained", "node", id));
        diff.linksLost().forEach(id -> table.row("lost", "link", id));
        diff.linksGained().forEach(id -> table.row("gained", "link", id));
        return table;
    }
}
