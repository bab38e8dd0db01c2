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
import dev.fabricoperator.view.answer.GroupsAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
            answer = answers.ask(new Question.Groups(fabric.name, null));
        }
        if (string) {
            StandardOutput.print(answer.string() + "\n");
        } else {
            output.print(
                    answer,
                    () -> tables(answer, output.format == OutputFormat.wide),
                    () -> answer.groups().stream().map(GroupsCommand::called));
        }
        return 0;
    }

    private static List<TextTable> tables(GroupsAnswer answer, boolean wide) {
        List<TextTable> tables = new ArrayList<>();
        tables.add(table(answer, wide));
        tables.addAll(CellFormat.notes(answer.unresolved()));
        return tables;
    }

    private static TextTable table(GroupsAnswer answer, boolean wide) {
        TextTable table =
                wide ? new TextTable("GROUP", "NAME", "COUNT", "HOSTS") : new TextTable("GROUP", "COUNT", "HOSTS");
        for (GroupsAnswer.Group one : answer.groups()) {
            String hosts = CellFormat.hosts(one.hosts(), wide);
            if (wide) {
                table.row(one.group(), one.name(), one.hosts().size(), hosts);
            } else {
                table.row(called(one), one.hosts().size(), hosts);
            }
        }
        return table.endingInSentence()
                .orSaying("No groups: no switch holds a device of fabric " + answer.fabric() + ".");
    }

    private static String called(GroupsAnswer.Group group) {
        return Objects.requireNonNullElseGet(group.name(), () -> Integer.toString(group.group()));
    }
}
