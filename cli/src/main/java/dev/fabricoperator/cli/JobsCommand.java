/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.FabricJobs;
import dev.fabricoperator.cli.cluster.JobSummary;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.JobPlacementStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jobs}: how the jobs stand that are launched directly. */
@Command(
        name = "jobs",
        description = {
            "Show how directly launched jobs stand, and what keeps them from running.",
            "PODS and RANKS are those that have come, of all. PMIXD is ImageVolume where the PMIx servers run in",
            "the containers of the ranks, SecondContainer where they have their own; a second table says why."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric jobs",
            "  kubectl fabric jobs ring -n lab -o json",
            "  kubectl fabric jobs -A -o wide            # with nodes, fabric, cost and PMIx namespace"
        })
final class JobsCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "Of the FabricJob, which is that of its owner; default is all.")
    @Nullable
    String name;

    @Mixin
    NamespaceOption namespace = new NamespaceOption();

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Jobs of all namespaces.")
    boolean allNamespaces;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure {
        if (allNamespaces && (name != null || namespace.name != null)) {
            throw Failure.wrongUsage(
                    "--all-namespaces goes with no " + (name != null ? "NAME: name its --namespace" : "--namespace"));
        }
        try (FabricJobs jobs = FabricJobs.in(cluster.context, cluster.kubeconfig)) {
            String asked = Objects.requireNonNullElseGet(namespace.name, jobs::currentNamespace);
            if (name != null) {
                JobSummary one = jobs.named(asked, name);
                output.print(one, () -> tables(List.of(one), ""), () -> names(List.of(one)));
            } else if (allNamespaces) {
                List<JobSummary> all = jobs.inAllNamespaces();
                output.print(all, () -> tables(all, "No FabricJobs in this cluster."), () -> names(all));
            } else {
                List<JobSummary> found = jobs.inNamespace(asked);
                output.print(
                        found, () -> tables(found, "No FabricJobs in namespace " + asked + "."), () -> names(found));
            }
        }
        return 0;
    }

    private static Stream<String> names(List<JobSummary> jobs) {
        return jobs.stream().map(job -> "fabricjob." + FabricApi.GROUP + "/" + job.name());
    }

    private List<TextTable> tables(List<JobSummary> jobs, String none) {
        if (jobs.isEmpty()) {
            return List.of(TextTable.sentence(none));
        }
        List<String> headings = new ArrayList<>(List.of("NAME", "PHASE", "ATTEMPT", "PODS", "RANKS", "PMIXD"));
        if (allNamespaces) {
            headings.addFirst("NAMESPACE");
        }
        boolean wide = output.format == OutputFormat.wide;
        if (wide) {
            headings.addAll(List.of("NODES", "FABRIC", "COST", "NSPACE"));
        }
        headings.add("PROBLEM");
        TextTable table = new TextTable(headings.toArray(String[]::new))
                .leavingOut("PMIXD", "ATTEMPT", "PODS")
                .endingInSentence();
        TreeMap<String, List<JobSummary>> secondContainers = new TreeMap<>();
        for (JobSummary job : jobs) {
            table.row(cells(job, wide).toArray());
            if (job.whySecondContainer() != null) {
                secondContainers
                        .computeIfAbsent(job.whySecondContainer(), why -> new ArrayList<>())
                        .add(job);
            }
        }
        if (secondContainers.isEmpty()) {
            return List.of(table);
        }
        TextTable reasons = new TextTable("WHY A SECOND CONTAINER", "JOBS").endingInSentence();
        secondContainers.forEach((why, of) -> reasons.row(
                why,
                of.stream()
                        .map(job -> allNamespaces ? job.namespace() + "/" + job.name() : job.name())
                        .collect(Collectors.joining(","))));
        return List.of(table, reasons);
    }

    private List<@Nullable Object> cells(JobSummary job, boolean wide) {
        List<@Nullable Object> cells = new ArrayList<>();
        if (allNamespaces) {
            cells.add(job.namespace());
        }
        cells.add(job.name());
        cells.add(CellFormat.phase(job.phase()));
        cells.add(job.attempt());
        cells.add(CellFormat.share(job.readyPods(), job.pods()));
        cells.add(CellFormat.share(job.readyRanks(), job.size()));
        cells.add(job.podShape());
        if (wide) {
            JobPlacementStatus placement = job.placement();
            cells.add(job.nodes());
            cells.add(job.fabric());
            cells.add(placement == null ? null : placement.summary());
            cells.add(job.nspace());
        }
        cells.add(job.problem() == null ? null : CellFormat.sentence(job.problem(), wide));
        return cells;
    }
}
