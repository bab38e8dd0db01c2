/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.FabricObjects;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.view.answer.LevelsAnswer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code levels}: which levels of service jobs may ask for, and whether the switches serve them. */
@Command(
        name = "levels",
        description = {
            "Show the levels of service that jobs may ask for, and what switches make of them.",
            "A job asks by the annotation fabric-operator.dev/qos of its pods.",
            "LANE and HIGH/LOW are the virtual lane and its weights, as a sweep has read them back.",
            "OFFERED is Unknown where none has."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  kubectl fabric levels", "  kubectl fabric levels infiniband-0 -o json"})
final class LevelsCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "FABRIC", description = "Only of this one.")
    @Nullable
    String fabric;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure {
        try (FabricObjects objects = FabricObjects.in(cluster.context, cluster.kubeconfig)) {
            List<LevelsAnswer> levels = objects.levels(fabric);
            output.print(levels, () -> List.of(table(levels)));
        }
        return 0;
    }

    static TextTable table(List<LevelsAnswer> levels) {
        TextTable table = new TextTable(
                        "FABRIC", "NAME", "SL", "DSCP", "OFFERED", "LANE", "HIGH/LOW", "NAMESPACES", "REASON")
                .leavingOut("FABRIC", "NAMESPACES")
                .endingInSentence();
        for (LevelsAnswer fabric : levels) {
            for (LevelsAnswer.Level level : fabric.levels()) {
                Boolean offered = level.offered();
                table.row(
                        fabric.fabric(),
                        Boolean.TRUE.equals(level.isDefault()) ? level.name() + " (default)" : level.name(),
                        level.serviceLevel(),
                        level.dscp(),
                        offered == null ? "Unknown" : offered ? "True" : "False",
                        level.virtualLane(),
                        level.weight(),
                        level.namespaces().isEmpty() ? "(all)" : String.join(",", level.namespaces()),
                        level.reason());
            }
        }
        return table;
    }
}
