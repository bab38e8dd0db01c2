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
import dev.fabricoperator.crds.answer.GeometryAnswer;
import dev.fabricoperator.fabric.coordinate.View;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
final class GeometryCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DEVICE", description = "ID of the device, or a host.")
    String device = "";

    @Option(
            names = "--view",
            paramLabel = "VIEW",
            defaultValue = "logical",
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    View view = View.logical;

    @Option(names = "--plane", paramLabel = "PLANE", description = "Only devices on this plane.")
    @Nullable
    String plane;

    @Parameters(
            index = "1..*",
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
        List<GeometryAnswer> answers;
        try (FabricAnswers asked = fabric.answers(files)) {
            answers = asked.geometry(device, view, plane);
        }
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                TextTable table = new TextTable("DEVICE", "FABRIC", "INDEX", "PLANE", "VIEW", "COORDINATE", "SHAPE");
                for (GeometryAnswer one : answers) {
                    String coordinate =
                            one.coordinate().stream().map(String::valueOf).collect(Collectors.joining(","));
                    table.row(
                            one.device(),
                            one.fabric(),
                            one.index(),
                            one.plane(),
                            one.view(),
                            coordinate.isEmpty() ? null : coordinate,
                            one.shapeString());
                }
                table.writeTo(out);
            } else if (answers.size() == 1) {
                DocumentWriter.write(output.format, answers.getFirst(), out);
            } else {
                DocumentWriter.write(output.format, answers, out);
            }
        }
        return 0;
    }
}
