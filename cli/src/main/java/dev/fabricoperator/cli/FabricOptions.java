/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.LocalAnswers;
import dev.fabricoperator.cli.cluster.ClusterAnswers;
import dev.fabricoperator.cli.cluster.ClusterFabrics;
import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.Progress;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.finding.ExemptHosts;
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

    @Option(
            names = "--from-objects",
            description =
                    "Compute from all objects of the cluster; default is to ask the operator where it can be asked.")
    boolean fromObjects;

    @Option(
            names = "--node-name-map",
            paramLabel = "FILE",
            description =
                    "What the site calls nodes of InfiniBand files: lines of GUID and \"name\", as OpenSM reads them.")
    @Nullable
    String nodeNameMap;

    @Option(
            names = "--node-label-keys",
            paramLabel = "KEY",
            split = ",",
            description =
                    "Labels by which nodes of a node-labels file are placed, from the top to the leaf; default is those of a known cloud.")
    List<String> nodeLabelKeys = List.of();

    /** Of a command that has an option for them. */
    ExemptHosts exempt = ExemptHosts.NONE;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Spec(Target.MIXEE)
    @Nullable
    CommandSpec spec;

    /** @param files none for the cluster */
    FabricSet read(List<SourceArgument> files) throws Failure {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        CablingFiles.Beside beside = beside(files);
        if (files.isEmpty()) {
            Progress.says("reading the cluster's objects");
            return ClusterFabrics.read(cluster.context, cluster.kubeconfig, err);
        }
        FabricSet found = FabricSet.read(files, beside, exempt);
        if (found.fabrics().isEmpty() && name != null) {
            throw Failure.badInput(files.getFirst().shownPath() + ": no devices in it, so there is no fabric", null);
        }
        return found;
    }

    /** As {@link #read(List)}, in which files there are among the words. */
    FabricSet read(Words words) throws Failure {
        try {
            return read(words.files());
        } catch (Failure e) {
            throw words.orFiles(e);
        }
    }

    /** As {@link #answers(List)}, in which files there are among the words. */
    FabricAnswers answers(Words words) throws Failure {
        try {
            return answers(words.files());
        } catch (Failure e) {
            throw words.orFiles(e);
        }
    }

    /** @throws Failure for options that go with files where there is none, or a map that cannot be read */
    CablingFiles.Beside beside(List<SourceArgument> files) throws Failure {
        if (files.isEmpty() && nodeNameMap != null) {
            throw Failure.wrongUsage("--node-name-map names nodes of files, and none is given");
        }
        if (files.isEmpty() && !nodeLabelKeys.isEmpty()) {
            throw Failure.wrongUsage("--node-label-keys goes with files, and none is given");
        }
        return new CablingFiles.Beside(
                nodeNameMap == null ? NodeNameMap.NONE : CablingFiles.nodeNames(nodeNameMap), nodeLabelKeys);
    }

    /** @param files none for the cluster, whose operator is asked where it can be */
    FabricAnswers answers(List<SourceArgument> files) throws Failure {
        if (files.isEmpty()) {
            beside(files);
            PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
            Progress.says("asking the operator");
            return ClusterAnswers.open(cluster.context, cluster.kubeconfig, fromObjects, err);
        }
        FabricSet found = read(files);
        if (found.fabrics().isEmpty()) {
            throw Failure.badInput(files.getFirst().shownPath() + ": no devices in it, so there is no fabric", null);
        }
        warn(files, found.routeProblems());
        return new LocalAnswers(found);
    }

    /** As {@link #answers}, for commands that judge files: says what was tolerated in them, and takes one without devices. */
    FabricAnswers answersWithWarnings(List<SourceArgument> files) throws Failure {
        if (files.isEmpty()) {
            return answers(files);
        }
        FabricSet found = read(files);
        warn(files, found.problems());
        warn(files, found.routeProblems());
        return new LocalAnswers(found);
    }

    /** Says what was tolerated in files. */
    void warn(List<SourceArgument> files, List<Problem> problems) {
        warn(Objects.requireNonNull(spec).commandLine().getErr(), files, problems);
    }

    static void warn(PrintWriter err, List<SourceArgument> files, List<Problem> problems) {
        String only = files.size() == 1 ? files.getFirst().shownPath() : null;
        for (Problem problem : problems.subList(0, Math.min(SHOWN_PROBLEMS, problems.size()))) {
            String file = problem.file() == null ? only : problem.file();
            String place = file == null ? "" : file + ":";
            err.println("warning: " + place + (problem.line() == null ? "" : problem.line() + ":")
                    + (file == null ? "" : " ") + problem.message());
        }
        if (problems.size() > SHOWN_PROBLEMS) {
            err.println("warning: and " + (problems.size() - SHOWN_PROBLEMS) + " more like these");
        }
    }
}
