/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.ClusterStatus;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SourceStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code status}: how the cluster's fabrics stand, and what to do. */
@Command(
        name = "status",
        description = {
            "Show how the fabrics of the cluster and the operator stand, what is wrong, and what to do next.",
            "The exit code is 0 whatever is wrong, unless --fail is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric status",
            "  kubectl fabric status -o wide             # with whole messages",
            "  kubectl fabric status --fail -o json"
        })
final class StatusCommand implements Callable<Integer> {
    @Option(names = "--fail", description = "End with exit code 1 where something is wrong.")
    boolean fail;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            defaultValue = "fabric-operator",
            description = "Namespace of the operator; default ${DEFAULT-VALUE}.")
    String namespace = "";

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure {
        ClusterStatus status = ClusterStatus.read(cluster.context, cluster.kubeconfig, namespace);
        output.print(
                status,
                () -> tables(status),
                () -> status.fabrics().stream().map(one -> "fabric." + FabricApi.GROUP + "/" + one.name()));
        return fail && !status.problems().isEmpty() ? Failure.FAILED : 0;
    }

    private List<TextTable> tables(ClusterStatus status) {
        List<TextTable> tables = new ArrayList<>();
        tables.add(programs(status));
        tables.add(fabrics(status, output.format == OutputFormat.wide));
        if (!status.fabrics().isEmpty()) {
            TextTable sources = sources(status);
            if (sources != null) {
                tables.add(sources);
            }
        }
        tables.add(
                status.problems().isEmpty()
                        ? TextTable.sentence("Nothing is wrong.")
                        : problems(status.problems(), output.format == OutputFormat.wide));
        return tables;
    }

    private TextTable programs(ClusterStatus status) {
        TextTable table = new TextTable("OPERATOR", "READY");
        List<ClusterStatus.Program> programs = status.programs();
        if (programs == null) {
            table.row("programs", "Unknown: you may not list deployments and daemonsets of namespace " + namespace);
        } else if (programs.isEmpty()) {
            table.row("programs", "none");
        } else {
            programs.forEach(one -> table.row(one.name(), one.ready() + "/" + one.wanted()));
        }
        table.row("query API", status.queryApi());
        return table;
    }

    /** All columns are wider than a terminal. */
    static TextTable fabrics(ClusterStatus status, boolean wide) {
        TextTable table = wide
                ? new TextTable(
                        "FABRIC",
                        "READY",
                        "KIND",
                        "SHAPE",
                        "DEVICES",
                        "SWITCHES",
                        "LINKS",
                        "PLANES",
                        "FINDINGS",
                        "HOSTS",
                        "GENERATION")
                : new TextTable(
                        "FABRIC", "READY", "KIND", "SHAPE", "DEVICES", "SWITCHES", "LINKS", "PLANES", "FINDINGS");
        for (ClusterStatus.FabricSummary one : status.fabrics()) {
            @Nullable
            Object[] cells = {
                one.name(),
                CellFormat.condition(one.ready()),
                one.kind(),
                one.shape(),
                devices(one),
                one.switches(),
                one.links(),
                one.planes(),
                one.findings(),
                one.hosts(),
                one.generation()
            };
            table.row(wide ? cells : Arrays.copyOf(cells, cells.length - 2));
        }
        return table.leavingOut("PLANES", "LINKS", "SHAPE", "SWITCHES", "KIND")
                .orSaying("No Fabrics: no agent has published devices yet, and nobody has made one.");
    }

    /** Those without an agent behind those with one. */
    private static @Nullable String devices(ClusterStatus.FabricSummary fabric) {
        Integer unmanaged = fabric.unmanagedDevices();
        return fabric.devices() == null
                ? null
                : fabric.devices() + (unmanaged == null || unmanaged == 0 ? "" : "+" + unmanaged);
    }

    private static @Nullable TextTable sources(ClusterStatus status) {
        TextTable table = new TextTable("FABRIC", "SOURCE", "TYPE", "STATE", "SWITCHES", "LINKS", "SINCE")
                .leavingOut("LINKS", "SWITCHES", "TYPE", "SINCE");
        boolean any = false;
        for (ClusterStatus.FabricSummary fabric : status.fabrics()) {
            for (SourceStatus source : fabric.sources()) {
                any = true;
                table.row(
                        fabric.name(),
                        source.name(),
                        source.type(),
                        source.state(),
                        source.switches(),
                        source.links(),
                        source.since());
            }
        }
        return any ? table : null;
    }

    /** What is wrong and what to do stand below each other, since both are sentences. */
    private static TextTable problems(List<ClusterStatus.Problem> problems, boolean wide) {
        TextTable table = new TextTable("WHAT IS WRONG", "REASON", "MESSAGE")
                .leavingOut("REASON")
                .endingInSentence();
        for (ClusterStatus.Problem one : problems) {
            table.row(
                    new TextTable.Coloured(one.object(), TextTable.Colour.red),
                    one.reason(),
                    CellFormat.sentence(one.message(), wide));
            table.row("", "", "-> " + one.next());
        }
        return table;
    }
}
