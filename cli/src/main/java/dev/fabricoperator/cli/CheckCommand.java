/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.finding.ExemptHosts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code check}: what somebody should look at. */
@Command(
        name = "check",
        description = {
            "Show what is missing, slow, swapped or contradictory against the pattern of the wiring.",
            "Of a cluster it also shows what its operator has seen, such as links that flap.",
            "The exit code is 0 with and without findings, unless --fail is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric check",
            "  kubectl fabric check fabric.txt.gz -o json",
            "  ibnetdiscover | kubectl fabric check - --fail"
        })
final class CheckCommand extends FabricCommand {
    /** Two may be alike by chance. */
    private static final int ENOUGH_HOSTS = 3;

    @Option(names = "--fail", description = "End with exit code 1 where there is a finding.")
    boolean fail;

    @Option(
            names = "--exempt-hosts",
            paramLabel = "LIST",
            description =
                    "Hosts that are not meant to have as many devices as others, such as login[1-4],stor*; in a cluster spec.exemptHosts of the Fabric says so.")
    @Nullable
    String exemptHosts;

    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        fabric.exempt = exempt();
        List<FabricAnswers.Findings> answers;
        try (FabricAnswers asked = fabric.answersWithWarnings(files)) {
            answers = asked.findings(fabric.name);
        }
        boolean clean = answers.stream().allMatch(answer -> answer.findings().isEmpty());
        output.print(
                answers,
                () -> tables(answers, output.format == OutputFormat.wide),
                () -> answers.stream()
                        .flatMap(answer -> answer.findings().stream())
                        .flatMap(finding -> finding.switches().stream())
                        .distinct());
        return fail && !clean ? Failure.FAILED : 0;
    }

    private ExemptHosts exempt() throws Failure {
        if (exemptHosts == null) {
            return ExemptHosts.NONE;
        }
        if (files.isEmpty()) {
            throw Failure.wrongUsage(
                    "--exempt-hosts is for files; in a cluster spec.exemptHosts of the Fabric says so");
        }
        ExemptHosts exempt = ExemptHosts.of(List.of(exemptHosts));
        if (!exempt.problems().isEmpty()) {
            throw Failure.wrongUsage(
                    "--exempt-hosts " + exempt.problems().getFirst() + "; write it as login[1-4],stor*");
        }
        return exempt;
    }

    private static List<TextTable> tables(List<FabricAnswers.Findings> answers, boolean wide) {
        if (answers.isEmpty()) {
            return List.of(
                    TextTable.sentence("No findings: there is no fabric, since nothing that was read holds devices."));
        }
        List<TextTable> tables = new ArrayList<>();
        TextTable clean = null;
        for (FabricAnswers.Findings answer : answers) {
            if (!answer.findings().isEmpty()) {
                tables.add(table(answer, wide).titled(count(answer)));
            } else if (clean == null) {
                clean = TextTable.sentence(count(answer));
                tables.add(clean);
            } else {
                clean.row(count(answer));
            }
            if (!answer.unresolved().isEmpty()) {
                tables.addAll(CellFormat.notes(answer.unresolved()));
                clean = null;
            }
        }
        return tables;
    }

    private static String count(FabricAnswers.Findings answer) {
        int findings = answer.findings().size();
        return answer.fabric() + ": " + (answer.kind() == null ? "" : kind(answer.kind(), answer.hosts()) + ", ")
                + counted(answer.switches(), "switch", "switches") + ", "
                + counted(answer.devices(), "device", "devices")
                + ": " + (findings == 0 ? "no findings" : counted(findings, "finding", "findings"))
                + (answer.exemptHosts() == null
                        ? ""
                        : "; " + counted(answer.exemptHosts(), "host", "hosts") + " exempt");
    }

    /** Rails show in what hosts have in common. */
    private static String kind(String kind, int hosts) {
        return kind.equals(FabricKind.RailOptimized.name()) && hosts < ENOUGH_HOSTS
                ? kind + " (too few hosts to tell: " + hosts + ")"
                : kind;
    }

    private static String counted(int number, String one, String several) {
        return number + " " + (number == 1 ? one : several);
    }

    private static TextTable table(FabricAnswers.Findings answer, boolean wide) {
        TextTable table = wide ? new TextTable("FINDING", "OBJECT", "MESSAGE") : new TextTable("FINDING", "MESSAGE");
        for (FindingStatus one : answer.findings()) {
            TextTable.Coloured type = new TextTable.Coloured(one.type(), TextTable.Colour.yellow);
            if (wide) {
                table.row(type, one.object(), one.message());
            } else {
                table.row(type, one.message());
            }
        }
        return table.endingInSentence();
    }
}
