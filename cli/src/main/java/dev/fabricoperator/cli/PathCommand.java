/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.PathAnswer;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
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
final class PathCommand extends FabricCommand {
    @Parameters(index = "0", paramLabel = "FROM", description = "ID of the first device.")
    String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "ID of the last device.")
    String to = "";

    @Parameters(index = "2..*", paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        FabricAnswers.PathBetween answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            answer = answers.path(from, to);
        }
        output.print(answer.path(), () -> tables(answer));
        return 0;
    }

    private static List<TextTable> tables(FabricAnswers.PathBetween between) {
        PathAnswer path = between.path();
        TextTable summary = new TextTable("FROM", "TO", "COST", "HOPS", "EQUAL", "GBIT/S");
        summary.row(
                between.fromDevice(),
                between.toDevice(),
                CellFormat.cost(path.cost()),
                path.hops(),
                path.equalPaths(),
                CellFormat.gigabits(path.speedBitsPerSecond()));
        TextTable steps = new TextTable("STEP", "SWITCH", "NAME", "IN", "OUT", "GBIT/S");
        for (int i = 0; i < path.steps().size(); i++) {
            PathAnswer.Step step = path.steps().get(i);
            steps.row(
                    i + 1,
                    step.switchId(),
                    step.name(),
                    step.inPort(),
                    step.outPort(),
                    CellFormat.gigabits(step.outSpeedBitsPerSecond()));
        }
        return path.steps().isEmpty() ? List.of(summary) : List.of(summary, steps);
    }
}
