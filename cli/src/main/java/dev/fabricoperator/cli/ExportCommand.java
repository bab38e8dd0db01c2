/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
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

    @Parameters(index = "1..*", paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
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

    @Option(
            names = "--names",
            paramLabel = "FORM",
            defaultValue = "full",
            description = {
                "Of nodes, ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. As slurm.conf has them:",
                "hosts' own names, those without domains, or those of Kubernetes Nodes."
            })
    SlurmNodeNames.Form names = SlurmNodeNames.Form.FULL;

    @Option(
            names = "--switch-names",
            description = {
                "Switches by the names that people gave them, where each has one that Slurm can read.",
                "By default by their GUIDs, which no one changes."
            })
    boolean switchNames;

    @Option(
            names = "--slurm-version",
            paramLabel = "VERSION",
            description = "The oldest that is to read it, such as 24.11; default is any.")
    @Nullable
    String slurmVersion;

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Override
    public Integer call() throws IOException, Failure {
        SlurmVersion version;
        try {
            version = slurmVersion == null ? SlurmVersion.OLDEST : SlurmVersion.parse(slurmVersion);
        } catch (IllegalArgumentException e) {
            throw Failure.wrongUsage("--slurm-version: " + e.getMessage());
        }
        String text;
        try (FabricAnswers answers = fabric.answersWithWarnings(files)) {
            text = answers.slurm(new FabricAnswers.SlurmRequest(
                    fabric.name, format == Format.yaml, plugin, plane, everySwitch, names, version, switchNames));
        }
        StandardOutput.print(text);
        return 0;
    }
}
