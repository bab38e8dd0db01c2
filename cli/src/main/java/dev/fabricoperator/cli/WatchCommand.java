/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.cluster.FabricObjects;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watch}: changes of the cluster's fabrics as they come. */
@Command(
        name = "watch",
        description = {
            "Print a line for each change of a fabric.",
            "'pending' while a new generation is on its way, 'updated' once all of it is there. Begins with",
            "what is there now, and ends when it is interrupted."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric watch",
            "  kubectl fabric watch --fabric infiniband-0 -o json      # one JSON object a line",
            "  kubectl fabric watch --count 1                          # what is there now of the first fabric"
        })
final class WatchCommand implements Callable<Integer> {
    @Option(names = "--fabric", paramLabel = "NAME", description = "Only this fabric; default is all.")
    @Nullable
    String fabric;

    @Option(names = "--count", paramLabel = "LINES", description = "End after so many lines.")
    long count = Long.MAX_VALUE;

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure, InterruptedException {
        output.requireNoNames();
        if (count < 1) {
            throw Failure.wrongUsage("--count is " + count + "; it is 1 at least");
        }
        BlockingQueue<FabricObjects.Change> changes = new LinkedBlockingQueue<>();
        try (FabricObjects objects = FabricObjects.in(cluster.context, cluster.kubeconfig);
                OutputStream out = StandardOutput.open()) {
            objects.watch(fabric, changes::add);
            for (long line = 0; line < count; line++) {
                write(changes.take(), out);
                out.flush();
            }
        }
        return 0;
    }

    private void write(FabricObjects.Change change, OutputStream out) throws IOException {
        if (output.format == OutputFormat.json) {
            DocumentWriter.writeLine(change, out);
        } else if (output.format == OutputFormat.yaml) {
            out.write("---\n".getBytes(StandardCharsets.UTF_8));
            DocumentWriter.write(output.format, change, out);
        } else {
            String generation = change.generation() == null ? "" : " generation " + change.generation();
            String message = change.message() == null ? "" : ": " + change.message();
            String line = change.fabric() + " " + change.event() + generation + message + "\n";
            out.write(line.getBytes(StandardCharsets.UTF_8));
        }
    }
}
