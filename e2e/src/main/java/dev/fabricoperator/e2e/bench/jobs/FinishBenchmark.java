/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.NodePrograms;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * From the exit of a job's last rank to its FabricJob seen finished by a watch, on real nodes: arguments ROUNDS PODS. The last thing that a rank does is to print
 * the clock; all clocks are this machine's.
 */
public final class FinishBenchmark {
    private static final String EXIT = "exit=";
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private FinishBenchmark() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        int pods = Integer.parseInt(arguments[1]);
        Path work = Files.createTempDirectory("fabric-operator-finish-");
        Path archive = ProofImages.write(work, NodePrograms.find());
        List<Double> milliseconds = new ArrayList<>();
        try (LaunchCluster cluster = LaunchCluster.start(2, List.of(archive), text -> {})) {
            Map<String, Long> finished = new ConcurrentHashMap<>();
            KubernetesClient admin = cluster.cluster().admin();
            try (var watch = admin.resources(FabricJob.class)
                    .inNamespace(DirectJob.NAMESPACE)
                    .watch(new Seen(finished))) {
                // The first finds everything cold.
                for (int round = 0; round <= rounds; round++) {
                    double took = round(admin, pods, finished);
                    if (round > 0) {
                        milliseconds.add(took);
                    }
                }
            }
        }
        Collections.sort(milliseconds);
        System.out.printf(
                "last rank's exit to FabricJob finished, %d pods, %d rounds: median %.0f ms, worst %.0f ms%n",
                pods, rounds, milliseconds.get(rounds / 2), milliseconds.getLast());
    }

    private static double round(KubernetesClient admin, int pods, Map<String, Long> finished)
            throws InterruptedException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        List<String> command = List.of("sh", "-c", "mpi-clock && date +" + EXIT + "%s%N");
        DirectJob job = new DirectJob(
                admin,
                new DirectJob.Wanted(
                        ProofImages.PLAIN,
                        command,
                        pods,
                        1,
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        null,
                        null,
                        false));
        int code = job.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));
        if (code != 0) {
            throw new IllegalStateException("the job ended with code " + code + ": " + output);
        }
        while (!finished.containsKey(job.name())) {
            Thread.sleep(10);
        }
        long last = output.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(EXIT))
                .mapToLong(line -> Long.parseLong(line.substring(EXIT.length())))
                .max()
                .orElseThrow();
        return (finished.get(job.name()) - last) / 1e6;
    }

    /** When each FabricJob was first seen to have succeeded, in nanoseconds since the epoch. */
    private record Seen(Map<String, Long> finished) implements Watcher<FabricJob> {
        @Override
        public void eventReceived(Action action, FabricJob job) {
            if (job.getStatus() != null && job.getStatus().phase() == JobPhase.Succeeded) {
                finished.putIfAbsent(job.getMetadata().getName(), System.currentTimeMillis() * 1_000_000);
            }
        }

        @Override
        public void onClose(@Nullable WatcherException cause) {
            if (cause != null) {
                System.err.println("the watch ended: " + cause.getMessage());
            }
        }
    }
}
