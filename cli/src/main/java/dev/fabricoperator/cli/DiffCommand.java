/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingDiff;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code diff}: what changed in the cabling between two dumps. */
@Command(
        name = "diff",
        description = {
            "Show which nodes and links a fabric lost and gained.",
            "Between two files, or between a file and the cluster, which is the newer one.",
            "A switch or device that is gone is told once, with its links; -o wide lists these, too.",
            "In JSON a node is its GUID, a link guid[port]<->guid[port], the smaller end first. Differences are no failure."
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
    @JsonPropertyOrder({"nodesLost", "nodesGained", "linksLost", "linksGained", "changes"})
    record Document(
            List<String> nodesLost,
            List<String> nodesGained,
            List<String> linksLost,
            List<String> linksGained,
            List<Change> changes) {}

    /**
     * The same as people say it.
     *
     * @param change {@code lost} or {@code gained}
     * @param kind {@code switch}, {@code device} or {@code link}
     * @param ids one of a node, two of a link
     * @param ports 0 for a node
     * @param links of a node, that went or came with it
     */
    @JsonPropertyOrder({"change", "kind", "ids", "names", "ports", "links"})
    record Change(String change, String kind, List<String> ids, List<String> names, List<Integer> ports, int links) {
        static Change of(CablingDiff.Change change) {
            return new Change(
                    word(change),
                    change.kind().name().toLowerCase(Locale.ROOT),
                    change.ends().stream().map(CablingDiff.End::id).toList(),
                    change.ends().stream().map(CablingDiff.End::name).toList(),
                    change.ends().stream().map(CablingDiff.End::port).toList(),
                    change.links());
        }
    }

    @Override
    public Integer call() throws IOException, Failure {
        // The arity is that of one occurrence, of which picocli takes as many as there are.
        if (files.size() > 2) {
            throw Failure.wrongUsage("two files can be compared, not " + files.size());
        }
        List<Cabling> cablings = new ArrayList<>(CablingFiles.readAll(files, fabric.beside(files)));
        if (files.size() == 1) {
            List<Switch> switches = fabric.read(List.of()).switches();
            cablings.set(0, new Cabling("file", cablings.getFirst().switches(), List.of(), 0, List.of()));
            cablings.add(new Cabling("cluster", switches, List.of(), 0, List.of()));
        }
        CablingDiff diff = CablingDiff.between(cablings.get(0), cablings.get(1));
        Document document = new Document(
                diff.nodesLost(),
                diff.nodesGained(),
                diff.linksLost(),
                diff.linksGained(),
                diff.changes().stream().map(Change::of).toList());
        output.print(
                document,
                () -> List.of(
                        diff.changes().isEmpty()
                                ? TextTable.sentence("No differences: both have the same nodes and links.")
                                : output.format == OutputFormat.wide ? whole(diff) : table(diff)),
                () -> diff.changes().stream()
                        .flatMap(change -> change.ends().stream())
                        .map(end -> end.port() > 0 ? end.id() + ":" + end.port() : end.id()));
        return 0;
    }

    private static String word(CablingDiff.Change change) {
        return change.lost() ? "lost" : "gained";
    }

    /** Nodes with their links, then the links of nodes that stayed. */
    private static TextTable table(CablingDiff diff) {
        TextTable table = new TextTable("CHANGE", "KIND", "WHAT").endingInSentence();
        for (boolean lost : new boolean[] {true, false}) {
            List<CablingDiff.Change> changes =
                    diff.changes().stream().filter(one -> one.lost() == lost).toList();
            List<CablingDiff.Change> devices = changes.stream()
                    .filter(one -> one.kind() == CablingDiff.Kind.Device)
                    .toList();
            changes.stream()
                    .filter(one -> one.kind() == CablingDiff.Kind.Switch)
                    .forEach(one ->
                            table.row(word(one), "switch", one.ends().getFirst().name() + " with its " + links(one)));
            addDevices(devices, table);
            changes.stream()
                    .filter(one -> one.kind() == CablingDiff.Kind.Link)
                    .forEach(one -> table.row(
                            word(one),
                            "link",
                            one.ends().getFirst().words() + " to "
                                    + one.ends().getLast().words()));
        }
        return table;
    }

    private static String links(CablingDiff.Change change) {
        return change.links() == 1 ? "link" : change.links() + " links";
    }

    /** Those of hosts together: a rack that is switched off is one line. */
    private static void addDevices(List<CablingDiff.Change> devices, TextTable table) {
        Map<String, List<String>> hostsOfDevice = new LinkedHashMap<>();
        for (CablingDiff.Change device : devices) {
            String name = device.ends().getFirst().name();
            int slash = name.indexOf('/');
            if (slash < 0) {
                table.row(word(device), "device", name + " with its " + links(device));
            } else {
                hostsOfDevice
                        .computeIfAbsent(name.substring(slash + 1), d -> new ArrayList<>())
                        .add(name.substring(0, slash));
            }
        }
        hostsOfDevice.forEach((device, hosts) -> table.row(
                word(devices.getFirst()),
                "device",
                device + " of " + (hosts.size() == 1 ? hosts.getFirst() : hosts.size() + " hosts with their links: ")
                        + (hosts.size() == 1 ? " with its link" : HostList.compress(hosts))));
    }

    private static TextTable whole(CablingDiff diff) {
        TextTable table = new TextTable("CHANGE", "KIND", "ID");
        diff.nodesLost().forEach(id -> table.row("lost", "node", id));
        diff.nodesGained().forEach(id -> table.row("gained", "node", id));
        diff.linksLost().forEach(id -> table.row("lost", "link", id));
        diff.linksGained().forEach(id -> table.row("gained", "link", id));
        return table;
    }
}
