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
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
final class CheckCommand implements Callable<Integer> {
    @Option(names = "--fail", description = "End with exit code 1 where there is a finding.")
    boolean fail;

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
        List<FabricAnswers.Findings> answers;
        try (FabricAnswers asked = fabric.answersWithWarnings(files)) {
            answers = asked.findings(fabric.name);
        }
        boolean clean = answers.stream().allMatch(answer -> answer.findings().isEmpty());
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                TextTable table = new TextTable("FABRIC", "FINDING", "MESSAGE");
                answers.forEach(answer ->
                        answer.findings().forEach(one -> table.row(answer.fabric(), one.type(), one.message())));
                if (clean) {
                    out.write("No findings.\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
                } else {
                    table.writeTo(out);
                }
            } else {
                DocumentWriter.write(output.format, answers, out);
            }
        }
        return fail && !clean ? Failure.FAILED : 0;
    }
}
