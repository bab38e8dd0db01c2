/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code check}: what somebody should look at. */
@Command(
        name = "check",
        description = {
            "Show what is missing, slow, swapped or contradictory against the pattern of the wiring.",
            "Of a cluster it also shows what its operator has seen, such as links that flap.",
            "The exit code is 0 with and without findings, unless --fail is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric check",
            "  kubectl fabric check fabric.txt.gz -o json",
            "  ibnetdiscover | kubectl fabric check - --fail"
        })
final class CheckCommand extends FabricCommand {
    @Option(names = "--fail", description = "End with exit code 1 where there is a finding.")
    boolean fail;

    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        List<FabricAnswers.Findings> answers;
        try (FabricAnswers asked = fabric.answersWithWarnings(files)) {
            answers = asked.findings(fabric.name);
        }
        boolean clean = answers.stream().allMatch(answer -> answer.findings().isEmpty());
        output.print(answers, () -> List.of(clean ? TextTable.sentence("No findings.") : table(answers)));
        return fail && !clean ? Failure.FAILED : 0;
    }

    private static TextTable table(List<FabricAnswers.Findings> answers) {
        TextTable table = new TextTable("FABRIC", "FINDING", "MESSAGE");
        answers.forEach(
                answer -> answer.findings().forEach(one -> table.row(answer.fabric(), one.type(), one.message())));
        return table;
    }
}
