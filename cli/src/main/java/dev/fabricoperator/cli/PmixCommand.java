/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.PodPmixServer;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.fabric.map.DisplayText;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
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
            "The tool is pquery of OpenPMIx, started in the pod by its exec subresource; what it prints is passed on."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric pmix ring-0-x7k2p PMIX_FABRIC_VENDOR PMIX_FABRIC_IDENTIFIER",
            "  kubectl fabric pmix ring-0-x7k2p -n lab -- 'PMIX_FABRIC_PLANE[PMIX_FABRIC_DEVICE_INDEX=1]'",
            "",
            "Keys and qualifiers that are answered: docs/pmix-support.md"
        })
final class PmixCommand implements Callable<Integer> {
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

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException, Failure {
        PodPmixServer.Answer answer =
                PodPmixServer.query(cluster.context, cluster.kubeconfig, namespace.name, pod, container, keys);
        // The pod's author may have put another program in the tool's place.
        StandardOutput.print(DisplayText.lines(answer.out()));
        String err = DisplayText.lines(answer.err());
        if (answer.exitCode() != 0) {
            throw Failure.failed("pquery ended with code " + answer.exitCode() + ": " + err.strip(), null);
        }
        Objects.requireNonNull(spec).commandLine().getErr().print(err);
        return 0;
    }
}
