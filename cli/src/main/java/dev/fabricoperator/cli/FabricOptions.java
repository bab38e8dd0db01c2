/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.ClusterFabrics;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.fabric.cabling.Problem;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which fabric is asked: one of the files that a command names, or of a cluster where it names none. */
final class FabricOptions {
    private static final int SHOWN_PROBLEMS = 5;

    @Option(
            names = "--fabric",
            paramLabel = "NAME",
            description = "Which fabric; default is that with most devices in files, the default one in a cluster.")
    @Nullable
    String name;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Spec(Target.MIXEE)
    @Nullable
    CommandSpec spec;

    /** @param files none for the cluster */
    FabricSet read(List<SourceArgument> files) throws Failure {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        if (files.isEmpty()) {
            return ClusterFabrics.read(cluster.context, cluster.kubeconfig, err);
        }
        FabricSet found = FabricSet.read(files);
        if (found.fabrics().isEmpty() && name != null) {
            throw Failure.badInput(files.getFirst().shownPath() + ": no devices in it, so there is no fabric", null);
        }
        return found;
    }

    /** Says what was tolerated in files. */
    void warn(List<SourceArgument> files, List<Problem> problems) {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        String file = files.size() == 1 ? files.getFirst().shownPath() + ":" : "";
        for (Problem problem : problems.subList(0, Math.min(SHOWN_PROBLEMS, problems.size()))) {
            String line = problem.line() == null ? " " : (file.isEmpty() ? "line " : "") + problem.line() + ": ";
            err.println("warning: " + file + line + problem.message());
        }
        if (problems.size() > SHOWN_PROBLEMS) {
            err.println("warning: and " + (problems.size() - SHOWN_PROBLEMS) + " more like these");
        }
    }
}
