/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.PodExplanation;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code explain}: what was injected into a pod, from where, and why not. */
@Command(
        name = "explain",
        description = {
            "Show what the operator has injected into a pod, from where, and why not.",
            "Of a Job, JobSet, StatefulSet or MPIJob, the events that say why it has no pods."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  kubectl fabric explain ring-0-x7k2p", "  kubectl fabric explain pi-worker-0 -n lab -o yaml"})
final class ExplainCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "POD",
            description = "Name of a pod, else of a Job, JobSet, StatefulSet, MPIJob or Volcano Job.")
    String name = "";

    @Mixin
    NamespaceOption namespace = new NamespaceOption();

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure {
        PodExplanation found = PodExplanation.of(cluster.context, cluster.kubeconfig, namespace.name, name);
        output.print(found, () -> tables(found));
        return 0;
    }

    private static List<TextTable> tables(PodExplanation found) {
        List<TextTable> tables = new ArrayList<>();
        if (found.pod() != null) {
            TextTable summary = new TextTable("POD", "NODE", "LAUNCH", "NAMESPACE OPTED IN");
            summary.row(
                    found.namespace() + "/" + found.pod(),
                    found.node(),
                    Objects.requireNonNullElse(found.launch(), "<none>"),
                    found.optedIn() ? "yes" : "no");
            tables.add(summary);
        }
        if (!found.injected().isEmpty()) {
            TextTable injected = new TextTable("INJECTED", "VALUE", "FROM");
            found.injected().forEach(one -> injected.row(one.what(), one.value(), one.from()));
            tables.add(injected);
        }
        addLines(tables, "WARNINGS", found.warnings());
        addLines(tables, "EVENTS", found.events());
        addLines(tables, "NEXT", found.next() == null ? List.of() : List.of(found.next()));
        return tables;
    }

    private static void addLines(List<TextTable> tables, String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            TextTable table = new TextTable(heading);
            lines.forEach(table::row);
            tables.add(table);
        }
    }
}
