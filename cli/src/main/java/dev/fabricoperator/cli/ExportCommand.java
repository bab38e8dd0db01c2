/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.fabric.export.SlurmOptions;
import dev.fabricoperator.fabric.export.SlurmPlugin;
import dev.fabricoperator.fabric.export.SlurmWriter;
import dev.fabricoperator.fabric.model.Plane;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code export}: a fabric in the words of another system. */
@Command(
        name = "export",
        description = {
            "Write a fabric for another system.",
            "slurm: topology.conf or topology.yaml. Comments at its top say what Slurm cannot be told."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric export slurm > topology.conf",
            "  kubectl fabric export slurm --format yaml --plugin block",
            "  kubectl fabric export slurm --every-switch fabric.txt.gz"
        })
final class ExportCommand implements Callable<Integer> {
    /** Who is to read it. */
    enum Target {
        slurm
    }

    /** Slurm's two files. */
    enum Format {
        conf,
        yaml
    }

    @Parameters(index = "0", paramLabel = "SYSTEM", description = "${COMPLETION-CANDIDATES}")
    Target target = Target.slurm;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            converter = SourceArgument.Converter.class,
            description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "conf",
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. Slurm reads yaml from 25.05 on.")
    Format format = Format.conf;

    @Option(
            names = "--plugin",
            paramLabel = "PLUGIN",
            defaultValue = "tree",
            description = {
                "Of Slurm, ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
                "A block is a group of the fabric, as 'groups' shows them."
            })
    SlurmPlugin plugin = SlurmPlugin.tree;

    @Option(
            names = "--plane",
            paramLabel = "PLANE",
            description = "Slurm has each host once: at the switches of this plane; default is the first.")
    @Nullable
    String plane;

    @Option(
            names = "--every-switch",
            description = {
                "Each switch, below all that are above it. By default those that hold",
                "hosts, with one above each subtree, which Slurm searches faster."
            })
    boolean everySwitch;

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Override
    public Integer call() throws IOException, Failure {
        FabricSet found = fabric.read(files);
        fabric.warn(files, found.problems());
        FoundFabric one = found.choose(fabric.name);
        List<String> planes = one.model().planes().stream().map(Plane::id).toList();
        if (plane != null && !planes.contains(plane)) {
            throw Failure.wrongUsage("no plane '" + plane + "' in fabric " + one.name() + "; there is "
                    + planes.stream().collect(Collectors.joining(", ")));
        }
        SlurmOptions options = new SlurmOptions(one.name(), plugin, plane, everySwitch);
        try (Writer out = new BufferedWriter(new OutputStreamWriter(StandardOutput.open(), StandardCharsets.UTF_8))) {
            switch (format) {
                case conf -> SlurmWriter.conf(one.model(), options, out);
                case yaml -> SlurmWriter.yaml(one.model(), options, out);
            }
        }
        return 0;
    }
}
