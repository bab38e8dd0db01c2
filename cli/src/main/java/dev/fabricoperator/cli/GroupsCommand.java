/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.GroupsAnswer;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
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
final class GroupsCommand extends FabricCommand {
    @Option(names = "--string", description = "Print the standard's notation, GROUP:HOST,HOST;GROUP:HOST, and no more.")
    boolean string;

    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        GroupsAnswer answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            answer = answers.groups(fabric.name);
        }
        if (string) {
            StandardOutput.print(answer.string() + "\n");
        } else {
            output.print(answer, () -> List.of(table(answer, output.format == OutputFormat.wide)));
        }
        return 0;
    }

    private static TextTable table(GroupsAnswer answer, boolean wide) {
        TextTable table = new TextTable("GROUP", "COUNT", "HOSTS");
        answer.groups().forEach(one -> table.row(one.group(), one.hosts().size(), CellFormat.hosts(one.hosts(), wide)));
        return table;
    }
}
