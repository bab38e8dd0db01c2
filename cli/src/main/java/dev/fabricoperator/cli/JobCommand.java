/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.FabricJobs;
import dev.fabricoperator.cli.cluster.JobReport;
import dev.fabricoperator.cli.cluster.JobSummary;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.JobPlacementStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code job}: where one directly launched job is, what that costs, and why it waits. */
@Command(
        name = "job",
        description = {
            "Show one directly launched job: how it stands, its ranks by switch and node, what its place costs, why it waits.",
            "PROTOCOL is how its ranks have found each other: PMIx, PMI-1, or none, with how many of each.",
            "COST is the mean between two of its nodes, BEST what as many nodes of this fabric could have."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric job ring",
            "  kubectl fabric job ring -n lab -o wide    # each node, every plane, whole messages",
            "  kubectl fabric job ring -n lab -o json"
        })
final class JobCommand implements Callable<Integer> {
    private static final int MOST_NODES = 16;

    @Parameters(paramLabel = "NAME", description = "Of the FabricJob: that of its Job, JobSet, MPIJob or other owner.")
    String name = "";

    @Mixin
    NamespaceOption namespace = new NamespaceOption();

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException, Failure {
        try (FabricJobs jobs = FabricJobs.in(cluster.context, cluster.kubeconfig)) {
            String asked = Objects.requireNonNullElseGet(namespace.name, jobs::currentNamespace);
            JobReport report = jobs.report(
                    asked, name, Objects.requireNonNull(spec).commandLine().getErr());
            output.print(report, () -> tables(report));
        }
        return 0;
    }

    private List<TextTable> tables(JobReport report) {
        boolean wide = output.format == OutputFormat.wide;
        JobSummary summary = report.summary();
        List<TextTable> tables = new ArrayList<>();
        TextTable job = new TextTable(
                        "NAME", "PHASE", "ATTEMPT", "PODS", "RANKS", "NODES", "FABRIC", "PMIXD", "PROTOCOL")
                .leavingOut("PMIXD", "PROTOCOL", "ATTEMPT", "FABRIC", "NODES");
        job.row(
                summary.name(),
                CellFormat.phase(summary.phase()),
                summary.attempt(),
                CellFormat.share(summary.readyPods(), summary.pods()),
                CellFormat.share(summary.readyRanks(), summary.size()),
                summary.nodes(),
                summary.fabric(),
                summary.podShape(),
                summary.protocols());
        tables.add(job);
        JobPlacementStatus placement = summary.placement();
        if (placement != null) {
            TextTable cost = new TextTable("COST", "BEST", "TIMES BEST", "WORST PAIR", "BEST'S WORST", "NEXT RANK")
                    .leavingOut("BEST'S WORST", "WORST PAIR");
            cost.row(
                    placement.meanCost(),
                    placement.bestMeanCost(),
                    report.costOverBest(),
                    placement.worstCost(),
                    placement.bestWorstCost(),
                    placement.neighborCost());
            tables.add(cost);
        }
        if (!report.switches().isEmpty()) {
            tables.add(switches(report, wide));
        }
        if (!report.nodes().isEmpty() && (wide || report.nodes().size() <= MOST_NODES)) {
            TextTable nodes = new TextTable("NODE", "RANKS", "PODS", "SWITCHES").endingInSentence();
            report.nodes()
                    .forEach(one -> nodes.row(
                            one.node(),
                            one.ranks(),
                            CellFormat.hosts(one.pods(), wide),
                            one.switches().isEmpty() ? null : String.join(",", one.switches())));
            tables.add(nodes);
        }
        if (summary.problem() != null) {
            TextTable why = new TextTable("PROBLEM").endingInSentence();
            why.row(CellFormat.sentence(summary.problem(), wide));
            tables.add(why);
        }
        if (report.next() != null) {
            TextTable next = new TextTable("WHAT TO DO").endingInSentence();
            next.row(report.next());
            tables.add(next);
        }
        return tables;
    }

    /** Of the first plane alone, unless all is asked for: on the others a job stands alike. */
    private static TextTable switches(JobReport report, boolean wide) {
        TextTable table = new TextTable("PLANE", "SWITCH", "NAME", "RANKS", "NODES", "HOSTS")
                .leavingOut("PLANE", "SWITCH", "NODES")
                .endingInSentence();
        String first = report.switches().getFirst().plane();
        report.switches().stream()
                .filter(one -> wide || Objects.equals(one.plane(), first))
                .forEach(one -> table.row(
                        one.plane(),
                        one.id(),
                        one.name(),
                        one.ranks(),
                        one.nodes().size(),
                        CellFormat.hosts(one.nodes(), wide)));
        return table;
    }
}
