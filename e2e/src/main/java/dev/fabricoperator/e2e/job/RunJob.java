/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.node.ArchivedImage;
import dev.fabricoperator.e2e.node.NodePrograms;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program of an image by direct launch on the kept cluster. */
@Command(
        name = "make run-job ARGS=",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs COMMAND of a container image over several pods by direct launch: no mpirun, no ssh.",
            "Brings up a cluster of real nodes with the operator where none is up (root on Linux, two minutes the first time),",
            "imports the archive, runs an Indexed Job, prints the ranks' output and the FabricJob, and exits with the job's code.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 all ranks ended with 0; else that of the first failing rank, 128 + its signal;",
            "124 the job was not whole in time, 125 the launch itself failed, 2 usage.",
            "",
            "  make run-job ARGS='--archive ring.tar --pods 4 --ranks-per-pod 2 --keep -- /usr/local/bin/ring 1000'"
        })
public final class RunJob implements Callable<Integer> {
    @Option(
            names = "--archive",
            paramLabel = "IMAGE.tar",
            description = "docker or OCI archive, plain or gzipped; needed unless --image is on the nodes already")
    private @Nullable Path archive;

    @Option(names = "--image", paramLabel = "NAME", description = "which image, where the archive holds several")
    private @Nullable String image;

    @Option(names = "--pods", paramLabel = "N", description = "default: ${DEFAULT-VALUE}")
    private int pods = 2;

    @Option(names = "--ranks-per-pod", paramLabel = "K", description = "default: ${DEFAULT-VALUE}")
    private int ranksPerPod = 1;

    @Option(names = "--env", paramLabel = "NAME=VALUE", description = "set in the container")
    private List<String> environment = new ArrayList<>();

    @Option(names = "--user", paramLabel = "UID", description = "runAsUser of the container")
    private @Nullable Long user;

    @Option(names = "--rank-order", paramLabel = "ORDER", description = "index or topology")
    private @Nullable String rankOrder;

    @Option(names = "--tag", description = "print the pod's index before each line")
    private boolean tag;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "until the job must have ended; default: ${DEFAULT-VALUE}")
    private int timeoutSeconds = 600;

    /** What scripts/run-job.sh does. */
    @SuppressWarnings("UnusedVariable")
    @Option(names = "--keep", description = "leave the cluster up for the next call; \"make stop-cluster\" ends it")
    private boolean keep;

    @Option(names = "--state", hidden = true)
    private Path state = ProjectRoot.find().resolve("target/run-job");

    @Parameters(
            paramLabel = "COMMAND",
            description = "program and arguments; default: the image's entrypoint and command")
    private List<String> command = new ArrayList<>();

    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new RunJob());
        line.setStopAtPositional(true);
        line.setExecutionExceptionHandler((failure, commandLine, parsed) -> {
            System.err.println("run-job: " + failure.getMessage());
            return DirectJob.LAUNCH_FAILED;
        });
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        if (pods < 1 || ranksPerPod < 1) {
            throw new IllegalArgumentException("--pods and --ranks-per-pod are at least 1");
        }
        KeptCluster.Standing cluster = KeptCluster.Standing.read(state);
        @Nullable ArchivedImage archived = archive == null ? null : ArchivedImage.read(archive, image);
        if (archived != null) {
            int nodes = archived.importInto(cluster.sockets(), NodePrograms.find());
            System.err.println(
                    nodes == 0
                            ? "run-job: the nodes have " + archived.name() + " of " + archive
                            : "run-job: imported " + archive + " into " + nodes + " nodes");
        }
        String name = archived != null ? archived.name() : image;
        if (name == null) {
            throw new IllegalArgumentException("name an archive (--archive) or an image that the nodes have (--image)");
        }
        List<String> words = command.isEmpty() && archived != null ? archived.command() : command;
        if (words.isEmpty()) {
            throw new IllegalArgumentException("the image starts nothing by itself: name a COMMAND after --");
        }
        Config config = Config.fromKubeconfig(Files.readString(cluster.kubeconfig()));
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            DirectJob job = new DirectJob(
                    client, new DirectJob.Wanted(name, words, pods, ranksPerPod, environment, user, rankOrder, tag));
            int code = job.run(Duration.ofSeconds(timeoutSeconds), System.out);
            job.printFabricJob(System.out);
            return code;
        }
    }
}
