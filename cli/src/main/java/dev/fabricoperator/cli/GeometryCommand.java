/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.view.answer.GeometryAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code geometry}: where a device stands in its fabric. */
@Command(
        name = "geometry",
        description = {
            "Show the coordinate of a device in the space of its plane, and the extent of that space.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]; a host alone is all of its devices."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric geometry node001/mlx5_0",
            "  kubectl fabric geometry node001 fabric.txt.gz --view physical -o json"
        })
final class GeometryCommand extends FabricCommand {
    @Parameters(paramLabel = "DEVICE [KIND:]FILE", description = "What is asked about; " + SourceArgument.BESIDE_WORDS)
    List<String> words = List.of();

    @Option(
            names = "--view",
            paramLabel = "VIEW",
            defaultValue = "logical",
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    View view = View.logical;

    @Option(names = "--plane", paramLabel = "PLANE", description = "Only devices on this plane.")
    @Nullable
    String plane;

    @Override
    public Integer call() throws IOException, Failure {
        List<GeometryAnswer> answers;
        Words arranged = Words.of(words, 1, 1, "DEVICE");
        try (FabricAnswers asked = fabric.answers(arranged)) {
            answers = asked.ask(new Question.Place(arranged.ids().getFirst(), view, plane))
                    .answers();
        }
        output.print(answers.size() == 1 ? answers.getFirst() : answers, () -> List.of(table(answers)));
        return 0;
    }

    private static TextTable table(List<GeometryAnswer> answers) {
        TextTable table = new TextTable("DEVICE", "FABRIC", "INDEX", "PLANE", "VIEW", "COORDINATE", "SHAPE")
                .leavingOut("FABRIC", "VIEW", "INDEX");
        for (GeometryAnswer one : answers) {
            String coordinate = one.coordinate().stream().map(String::valueOf).collect(Collectors.joining(","));
            table.row(
                    one.device(),
                    one.fabric(),
                    one.index(),
                    one.plane(),
                    one.view(),
                    coordinate.isEmpty() ? null : coordinate,
                    one.shapeString());
        }
        return table;
    }
}
