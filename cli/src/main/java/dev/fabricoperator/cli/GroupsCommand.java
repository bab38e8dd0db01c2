/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.GroupsAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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

    @Override
    public Integer call() throws IOException, Failure {
        GroupsAnswer answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            answer = answers.groups(fabric.name);
        }
        try (OutputStream out = StandardOutput.open()) {
            if (string) {
                out.write((answer.string() + "\n").getBytes(StandardCharsets.UTF_8));
            } else if (output.format.isTable()) {
                TextTable table = new TextTable("GROUP", "COUNT", "HOSTS");
                answer.groups()
                        .forEach(one -> table.row(one.group(), one.hosts().size(), String.join(",", one.hosts())));
                table.writeTo(out);
            } else {
                DocumentWriter.write(output.format, answer, out);
            }
        }
        return 0;
    }
}
