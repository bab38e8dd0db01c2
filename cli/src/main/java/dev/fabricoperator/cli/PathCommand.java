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
import dev.fabricoperator.crds.answer.PathAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code path}: the way between two devices. */
@Command(
        name = "path",
        description = {
            "Show a cheapest path between two devices.",
            "Each switch has the ports by which the path comes in and goes out.",
            "Of equal paths always the same one is shown; EQUAL counts them.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric path node001/mlx5_0 node002/mlx5_0",
            "  kubectl fabric path node001/mlx5_0 node002/mlx5_0 fabric.txt.gz -o json"
        })
final class PathCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FROM", description = "ID of the first device.")
    String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "ID of the last device.")
    String to = "";

    @Parameters(
            index = "2..*",
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
        FabricAnswers.PathBetween answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            answer = answers.path(from, to);
        }
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                writeTable(answer, out);
            } else {
                DocumentWriter.write(output.format, answer.path(), out);
            }
        }
        return 0;
    }

    private static void writeTable(FabricAnswers.PathBetween between, OutputStream out) throws IOException {
        PathAnswer path = between.path();
        TextTable summary = new TextTable("FROM", "TO", "COST", "HOPS", "EQUAL", "GBIT/S");
        summary.row(
                between.fromDevice(),
                between.toDevice(),
                Shown.cost(path.cost()),
                path.hops(),
                path.equalPaths(),
                Shown.gigabits(path.speedBitsPerSecond()));
        summary.writeTo(out);
        if (!path.steps().isEmpty()) {
            TextTable steps = new TextTable("STEP", "SWITCH", "NAME", "IN", "OUT", "GBIT/S");
            for (int i = 0; i < path.steps().size(); i++) {
                PathAnswer.Step step = path.steps().get(i);
                steps.row(
                        i + 1,
                        step.switchId(),
                        step.name(),
                        step.inPort(),
                        step.outPort(),
                        Shown.gigabits(step.outSpeedBitsPerSecond()));
            }
            out.write('\n');
            steps.writeTo(out);
        }
    }
}
