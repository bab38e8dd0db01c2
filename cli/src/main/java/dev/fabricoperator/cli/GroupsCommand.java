/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code groups}: which hosts are near each other. */
@Command(
        name = "groups",
        description = {
            "Show the groups of a fabric and their hosts.",
            "A device whose host nobody knows stands for itself, by its GUID."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric groups",
            "  kubectl fabric groups fabric.txt.gz -o json",
            "  kubectl fabric groups fabric.txt.gz --string      # as PMIX_FABRIC_GROUPS has them"
        })
final class GroupsCommand implements Callable<Integer> {
    @Option(names = "--string", description = "Print the standard's notation, GROUP:HOST,HOST;GROUP:HOST, and no more.")
    boolean string;

    @Parameters(
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            converter = SourceArgument.Converter.class,
            description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @JsonPropertyOrder({"fabric", "generation", "groups", "string"})
    record Document(String fabric, long generation, List<Group> groups, String string) {}

    @JsonPropertyOrder({"group", "hosts"})
    record Group(int group, List<String> hosts) {}

    @Override
    public Integer call() throws IOException, Failure {
        FoundFabric one = fabric.read(files).choose(fabric.name);
        SortedMap<Integer, List<String>> groups = one.query().groups();
        try (OutputStream out = StandardOutput.open()) {
            if (string) {
                out.write((one.query().groupsString() + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
            } else if (output.format.isTable()) {
                TextTable table = new TextTable("GROUP", "COUNT", "HOSTS");
                groups.forEach((group, hosts) -> table.row(group, hosts.size(), String.join(",", hosts)));
                table.writeTo(out);
            } else {
                List<Group> all = new ArrayList<>();
                groups.forEach((group, hosts) -> all.add(new Group(group, hosts)));
                DocumentWriter.write(
                        output.format,
                        new Document(
                                one.name(), one.generation(), all, one.query().groupsString()),
                        out);
            }
        }
        return 0;
    }
}
