/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.FabricObjects;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.StandardOutput;
import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code refresh}: makes the operator read every source once more. */
@Command(
        name = "refresh",
        description = {
            "Read every source of the cluster's fabrics once more.",
            "Sets the annotation fabric-operator.dev/refresh of the Fabrics to the time of now."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  kubectl fabric refresh", "  kubectl fabric refresh --fabric infiniband-0 --context lab"})
final class RefreshCommand implements Callable<Integer> {
    @Option(names = "--fabric", paramLabel = "NAME", description = "Only this fabric; default is all.")
    @Nullable
    String fabric;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() throws IOException, Failure {
        String now = clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
        StringBuilder report = new StringBuilder();
        try (FabricObjects objects = FabricObjects.in(cluster.context, cluster.kubeconfig)) {
            for (String name : objects.refresh(fabric, now)) {
                report.append("fabric.fabric-operator.dev/").append(name).append(" refreshed\n");
            }
        }
        StandardOutput.print(report.toString());
        return 0;
    }
}
