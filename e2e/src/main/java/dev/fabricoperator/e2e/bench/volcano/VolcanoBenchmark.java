/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.volcano;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Gangs on a fat tree of 1,000 nodes of which a part is busy: from the creation of a Job to the last of its pods bound, and below
 * how many leaves and pods it lies. First without HyperNodes, then with those of the operator.
 */
public final class VolcanoBenchmark {
    private static final TreeFabric TREE = new TreeFabric(5, 10, 20);
    private static final String NAMESPACE = "gangs";
    private static final int GANG = 8;
    private static final int BUSY_PODS = 500;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofMillis(20);

    private record Way(String name, boolean hyperNodes, String topology) {}

    private static final List<Way> WAYS = List.of(
            new Way("no HyperNodes", false, ""),
            new Way("HyperNodes, gang asks for nothing", true, ""),
            new Way("soft", true, "{mode: soft}"),
            new Way("hard, leaf", true, "{mode: hard, highestTierAllowed: 1}"),
            new Way("hard, pod", true, "{mode: hard, highestTierAllowed: 2}"));

    private final KubernetesClient admin;
    private final Volcano volcano;
    private final int rounds;
    private final PrintStream out;

    private VolcanoBenchmark(KubernetesClient admin, Volcano volcano, int rounds, PrintStream out) {
        this.admin = admin;
        this.volcano = volcano;
        this.rounds = rounds;
        this.out = out;
    }

    /** @param arguments the file for the table, and the number of rounds */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("volcano-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY);
                Volcano volcano = Volcano.find(cluster, directory)
                        .orElseThrow(() -> new IllegalStateException("no Volcano: run \"make setup\""))) {
            new VolcanoBenchmark(cluster.admin(), volcano, Integer.parseInt(arguments[1]), System.out)
                    .run(cluster, directory, Path.of(arguments[0]));
        }
    }

    private void run(ControlPlane cluster, Path directory, Path table) throws IOException, InterruptedException {
        out.println(TREE.nodes() + " nodes below " + TREE.leaves() + " leaves in " + TREE.pods() + " pods");
        Manifests.apply(cluster);
        volcano.applyCustomResources();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        PlayedJobs.createServiceAccount(admin, NAMESPACE);
        createAll(TREE.nodeObjects());
        volcano.start();
        occupy();
        List<String> lines = new ArrayList<>();
        lines.add("way,rounds,median_ms,longest_ms,mean_leaves,mean_pods");
        OperatorProcess operator = null;
        try {
            for (Way way : WAYS) {
                if (way.hyperNodes() && operator == null) {
                    createAll(TREE.switchObjects());
                    createAll(TREE.deviceObjects());
                    operator = OperatorProcess.start(cluster, directory, "controller", List.of("-Xmx256m"), Map.of());
                    await("HyperNodes", () -> volcano.hyperNodes().size() == TREE.leaves() + TREE.pods() + 1);
                    // What it writes to the devices must not be timed.
                    await("statuses", operatorIsDone(operator));
                }
                lines.add(measure(way));
                out.println(lines.getLast());
            }
        } finally {
            if (operator != null) {
                operator.close();
            }
        }
        Files.createDirectories(table.toAbsolutePath().getParent());
        Files.write(table, lines);
    }

    private static BooleanSupplier operatorIsDone(OperatorProcess operator) {
        return () -> operator.metric("fabric_operator_status_writes_pending") == 0;
    }

    private void createAll(List<? extends HasMetadata> objects) {
        objects.forEach(object -> admin.resource(object).create());
    }

    /** Half of the nodes, at random: pods that were there before. */
    private void occupy() {
        List<Integer> nodes = new ArrayList<>();
        for (int node = 0; node < TREE.nodes(); node++) {
            nodes.add(node);
        }
        Collections.shuffle(nodes, new Random(13));
        nodes.subList(0, BUSY_PODS)
                .forEach(node -> admin.pods()
                        .inNamespace(NAMESPACE)
                        .resource(Volcano.boundPod("busy-" + node, TreeFabric.nodeName(node)))
                        .create());
    }

    private String measure(Way way) throws InterruptedException {
        long[] millis = new long[rounds];
        double leaves = 0;
        double pods = 0;
        // The first is not counted.
        for (int round = -1; round < rounds; round++) {
            String job = "gang-" + WAYS.indexOf(way) + "-" + (round + 1);
            long begin = System.nanoTime();
            volcano.createGang(NAMESPACE, job, GANG, way.topology());
            await(job, () -> volcano.nodesOf(NAMESPACE, job).size() == GANG);
            long took = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            if (round >= 0) {
                millis[round] = took;
                List<Integer> at = volcano.nodesOf(NAMESPACE, job).stream()
                        .map(node -> TREE.leafOf(TreeFabric.number(node)))
                        .distinct()
                        .toList();
                leaves += at.size();
                pods += at.stream()
                        .map(leaf -> leaf / TREE.leavesOfAPod())
                        .distinct()
                        .count();
            }
            volcano.delete(NAMESPACE, job);
            await("the end of " + job, () -> volcano.nodesOf(NAMESPACE, job).isEmpty());
            // The scheduler's next session has seen that the nodes are free.
            Thread.sleep(1500);
        }
        Arrays.sort(millis);
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%d,%.1f,%.1f",
                way.name().replace(",", ""),
                rounds,
                millis[rounds / 2],
                millis[rounds - 1],
                leaves / rounds,
                pods / rounds);
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(what + " has not come: " + volcano.logs());
            }
            Thread.sleep(STEP);
        }
    }
}
