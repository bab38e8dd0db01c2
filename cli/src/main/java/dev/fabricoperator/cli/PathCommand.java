/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.view.answer.PathAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code path}: the way between two devices. */
@Command(
        name = "path",
        description = {
            "Show the way between two devices; of names that stand for several, between the nearest two.",
            "Each switch has the ports by which the path comes in and goes out.",
            "Where forwarding tables of the switches are among the files, it is the way that packets take;",
            "else a cheapest one, of equal ones always the same; EQUAL counts them. BASIS says which.",
            "ID: a device's object name, deviceId, port or node GUID, host/osName[:port]; for several devices",
            "a host, a switch, a port of one (leaf-01:17), a list (node[0001-0004])."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric path node001/mlx5_0 node002/mlx5_0",
            "  kubectl fabric path node001/mlx5_0 node002/mlx5_0 fabric.txt.gz -o json",
            "  dump_fts > lfts.txt; kubectl fabric path node001 node002 fabric.txt.gz lfts.txt"
        })
final class PathCommand extends FabricCommand {
    @Parameters(paramLabel = "FROM TO [KIND:]FILE", description = "IDs of both ends; " + SourceArgument.BESIDE_WORDS)
    List<String> words = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        PathAnswer answer;
        Words asked = Words.of(words, 2, 2, "FROM and TO");
        try (FabricAnswers answers = fabric.answers(asked)) {
            answer = answers.ask(
                    new Question.Way(asked.ids().getFirst(), asked.ids().getLast()));
        }
        output.print(answer, () -> tables(answer));
        return 0;
    }

    private static List<TextTable> tables(PathAnswer path) {
        TextTable summary = new TextTable("FROM", "TO", "COST", "HOPS", "EQUAL", "GBIT/S", "BASIS")
                .leavingOut("EQUAL", "GBIT/S")
                .endingInSentence();
        summary.row(
                path.fromDevice(),
                path.toDevice(),
                CellFormat.cost(path.cost()),
                path.hops(),
                path.equalPaths(),
                CellFormat.gigabits(path.speedBitsPerSecond()),
                basis(path));
        TextTable steps = new TextTable("STEP", "SWITCH", "NAME", "IN", "OUT", "GBIT/S").leavingOut("SWITCH", "GBIT/S");
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

    private static String basis(PathAnswer path) {
        if (path.basis() == Path.Basis.routes) {
            return "by the switches' forwarding tables";
        }
        return path.basisReason() == null
                ? "cheapest way, no forwarding tables known"
                : "cheapest way; " + path.basisReason();
    }
}
