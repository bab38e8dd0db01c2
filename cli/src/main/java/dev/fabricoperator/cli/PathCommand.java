/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.NamedDevice;
import dev.fabricoperator.crds.answer.NamedFabric;
import dev.fabricoperator.crds.answer.PathAnswer;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.query.Path;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
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
        FabricSet found = fabric.read(files);
        DeviceFinder finder = new DeviceFinder(found.devices());
        FoundDevice first = finder.find(from);
        FoundDevice last = finder.find(to);
        NamedFabric one = found.named(first.fabric());
        NamedFabric other = last.fabric() == first.fabric() ? one : found.named(last.fabric());
        // No cable leads from one fabric to another.
        Path path = other != one
                ? new Path(first.slot(), last.slot(), CostMatrix.UNREACHABLE, null, 0, null, List.of())
                : Objects.requireNonNull(one.query().path(first.slot(), last.slot()));
        NamedDevice target = Objects.requireNonNull(other.device(last.slot()));
        PathAnswer answer = PathAnswer.of(one, Objects.requireNonNull(one.device(first.slot())), target, path);
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                writeTable(first, last, answer, out);
            } else {
                DocumentWriter.write(output.format, answer, out);
            }
        }
        return 0;
    }

    private static void writeTable(FoundDevice first, FoundDevice last, PathAnswer path, OutputStream out)
            throws IOException {
        TextTable summary = new TextTable("FROM", "TO", "COST", "HOPS", "EQUAL", "GBIT/S");
        summary.row(
                first.name(),
                last.name(),
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
