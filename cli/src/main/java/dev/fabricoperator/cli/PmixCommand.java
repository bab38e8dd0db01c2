/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.PmixAnswer;
import dev.fabricoperator.cli.cluster.PodPmixServer;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pmix}: what the PMIx server of a pod answers. */
@Command(
        name = "pmix",
        description = {
            "Ask the PMIx server of a running pod, which was launched directly, as its ranks can ask it.",
            "The tool is pquery of OpenPMIx, started in the pod by its exec subresource, once for each key."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric pmix ring-0-x7k2p PMIX_FABRIC_VENDOR PMIX_FABRIC_IDENTIFIER",
            "  kubectl fabric pmix ring-0-x7k2p -n lab -- 'PMIX_FABRIC_PLANE[PMIX_FABRIC_DEVICE_INDEX=1]'",
            "  kubectl fabric pmix ring-0-x7k2p -o json -- PMIX_FABRIC_NUM_DEVICES",
            "",
            "Keys and qualifiers that are answered: docs/pmix-calls.md"
        })
final class PmixCommand implements Callable<Integer> {
    /** Several values of up to so many characters stand on one line. */
    private static final int SHORT = 40;

    @Parameters(index = "0", paramLabel = "POD", description = "Name of a pod whose ranks run.")
    String pod = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "KEY",
            description = "A key of PMIx, with qualifiers behind it in brackets as in the example.")
    List<String> keys = List.of();

    @Option(
            names = {"-c", "--container"},
            paramLabel = "CONTAINER",
            description = "Default is the container that was launched.")
    @Nullable
    String container;

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
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        PodPmixServer.Answers found =
                PodPmixServer.query(cluster.context, cluster.kubeconfig, namespace.name, pod, container, keys, err);
        output.print(found, () -> List.of(table(found.answers())));
        List<String> refused = found.answers().stream()
                .filter(answer -> answer.error() != null)
                .map(answer -> answer.key() + ": " + answer.error())
                .toList();
        if (!refused.isEmpty()) {
            throw Failure.failed(String.join("; ", refused), null);
        }
        return 0;
    }

    /** Keys without an answer are told of as an error. */
    static TextTable table(List<PmixAnswer> answers) {
        TextTable table =
                new TextTable("KEY", "TYPE", "VALUE").leavingOut("TYPE").endingInSentence();
        for (PmixAnswer answer : answers) {
            if (answer.error() == null) {
                List<String> lines = new ArrayList<>();
                addLines("", answer.value(), lines);
                table.row(answer.key(), answer.type(), lines.isEmpty() ? null : lines.getFirst());
                lines.stream().skip(1).forEach(line -> table.row("", "", line));
            }
        }
        return table;
    }

    /** What is inside of an {@link PmixAnswer.Info} stands below it and is indented. */
    private static void addLines(String indent, @Nullable Object value, List<String> lines) {
        if (value instanceof PmixAnswer.Info info) {
            boolean isSimple = !(info.value() instanceof List<?> list)
                    || list.stream().noneMatch(PmixAnswer.Info.class::isInstance);
            lines.add(indent + info.key() + (isSimple ? " " + line(info.value()) : ""));
            if (!isSimple) {
                addLines(indent + "  ", info.value(), lines);
            }
        } else if (value instanceof List<?> list
                && list.stream()
                        .anyMatch(one ->
                                one instanceof PmixAnswer.Info || one.toString().length() > SHORT)) {
            list.forEach(one -> addLines(indent, one, lines));
        } else {
            lines.add(indent + line(value));
        }
    }

    private static String line(@Nullable Object value) {
        String text = value instanceof List<?> list
                ? list.stream().map(Object::toString).collect(Collectors.joining(", "))
                : Objects.toString(value, "<none>");
        return text.replace('\t', ' ');
    }
}
