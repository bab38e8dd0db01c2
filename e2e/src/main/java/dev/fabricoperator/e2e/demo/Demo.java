/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ExistingCluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.FabricSystem;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The main job, from nothing to jobs that run, on real nodes; where these cannot be, to {@code kubectl get fabrics} on a real control plane. */
@Command(
        name = "make demo",
        customSynopsis = "make demo [ARGS='OPTION...']",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Starts a Kubernetes cluster of three nodes, installs the operator's chart by Helm, and runs"
                    + " docs/tutorial.md there: fabrics, a directly launched job, an MPIJob, a Volcano job, the map of a"
                    + " job. As root on Linux.",
            "",
            "Elsewhere, and with --stand-ins: a control plane, agents for the hosts of a recorded InfiniBand fabric,"
                    + " and the operator; shows what they make of it, pulls a cable, and shows the update arrive.",
            "",
            "Real on nodes: all but the InfiniBand cards, whose files are played, and the dump, which is a recorded"
                    + " one. Stood in for without nodes: kubelets (no container is run) and the hosts' files (derived from the"
                    + " dump; see DERIVED.txt)."
        })
public final class Demo implements Callable<Integer> {
    @Option(names = "--keep", description = "stay up afterwards; \"make stop-demo\" ends it")
    private boolean keep;

    @Option(names = "--stand-ins", description = "no nodes, but a fabric of 123 hosts and a cable that is pulled")
    private boolean standIns;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            description = "with --stand-ins: only the first N of the fabric's 121 named hosts")
    private int hosts = Integer.MAX_VALUE;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description =
                    "with --stand-ins: use the cluster of this kubeconfig context instead of starting one; what was installed stays")
    private @Nullable String context;

    /** Whether what the story does not need at its beginning is still being built; the script says in the state's directory what is done. */
    @Option(names = "--building", hidden = true)
    private boolean building;

    @Option(names = "--state", hidden = true)
    private Path state = ProjectRoot.find().resolve("target/demo");

    public static void main(String[] arguments) {
        CommandLine command = new CommandLine(new Demo());
        command.setExecutionExceptionHandler((failure, line, parsed) -> {
            System.out.println("\nThe demo failed: " + failure.getMessage());
            failure.printStackTrace(System.err);
            return 1;
        });
        System.exit(command.execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (hosts < 1) {
            throw new ParameterException(
                    new CommandLine(this), "--hosts is " + hosts + "; a fabric has one host at least");
        }
        Progress progress = new Progress(System.out);
        Files.createDirectories(state);
        // A hundred agents in this process write there, each a line or two.
        System.setErr(new PrintStream(
                new FileOutputStream(state.resolve("agents.log").toFile()), true, StandardCharsets.UTF_8));
        if (standIns || context != null || hosts != Integer.MAX_VALUE) {
            onStandIns(progress);
            return 0;
        }
        Optional<String> obstacle = NodesStory.obstacle();
        if (obstacle.isPresent()) {
            progress.step("no nodes: %s", obstacle.get());
            progress.step("so no jobs are shown, but what the operator makes of a fabric of 123 hosts");
            onStandIns(progress);
            return 0;
        }
        try (NodesStory story = NodesStory.begin(progress, state, building)) {
            story.tell();
            farewell(
                    progress,
                    story.cluster(),
                    "kubectl fabric status; kubectl get fab,fsw,fdev; kubectl -n fabric-operator get pods");
            stay();
        }
        return 0;
    }

    private void onStandIns(Progress progress) throws IOException, InterruptedException {
        CompletableFuture<DemoHosts> layOut = BlockingTasks.start(this::hosts);
        progress.step(
                "starting %s",
                context == null
                        ? "etcd, kube-apiserver, kube-controller-manager, kube-scheduler"
                        : "on context " + context);
        try (Cluster cluster = cluster()) {
            if (cluster instanceof ControlPlane controlPlane) {
                progress.step("control plane is up at %s, logs in %s", controlPlane.server(), controlPlane.logs());
            }
            try (FabricSystem system = FabricSystem.install(cluster, state, Duration.ofSeconds(1))) {
                DemoStory story = new DemoStory(progress, system, layOut.join(), state);
                story.tell();
                farewell(
                        progress,
                        cluster,
                        "kubectl get fab,fsw,fdev; kubectl describe fabric; kubectl -n fabric-operator get pods");
                if (keep) {
                    progress.line("  hosts    " + state.resolve("hosts")
                            + " (change a file below sys, and see what becomes of it)");
                }
                stay();
            }
        }
    }

    private void stay() throws IOException, InterruptedException {
        if (keep) {
            Files.writeString(state.resolve("staying"), "");
            new CountDownLatch(1).await();
        }
    }

    private Cluster cluster() {
        return context == null ? ControlPlane.start(ControlPlaneOptions.FULL) : ExistingCluster.ofContext(context);
    }

    private DemoHosts hosts() {
        try {
            return DemoHosts.layOut(state.resolve("hosts"), hosts);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot lay out the hosts", e);
        }
    }

    private void farewell(Progress progress, Cluster cluster, String commands) {
        progress.line("");
        if (!keep) {
            progress.step("done; everything is stopped again. With --keep among ARGS it stays up to look around.");
            return;
        }
        progress.step("done; it stays up. Look around:");
        progress.line("");
        progress.line("  export KUBECONFIG=" + cluster.kubeconfig());
        progress.line("  export PATH=" + cluster.kubectl().resolveSibling("").normalize() + ":"
                + ProjectRoot.find().resolve("cli/target") + ":$PATH");
        progress.line("  " + commands);
        progress.line("");
        progress.line("  logs     " + state);
        progress.line("  stop     make stop-demo");
    }
}
