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
 * Gangs on a fat tree of which half is busy, other nodes in each round: from the creation of a Job to the last of its pods bound,
 * below how many leaves and pods it lies, and how many cables are between two of its nodes, beside the least that any placement on the free nodes has. First without HyperNodes, then with those of the operator.
 */
public final class VolcanoBenchmark {
    private static final String NAMESPACE = "gangs";
    private static final int BUSY_SHARE = 2;
    /** Busy nodes whose pods end before a round, while as many begin elsewhere. */
    private static final int MOVED = 60;

    private static final int SEED = 13;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofMillis(20);

    private record Way(String name, boolean hyperNodes, String topology) {
        boolean leafAlone() {
            return topology.contains("highestTierAllowed: 1");
        }
    }

    private static final List<Way> WAYS = List.of(
            new Way("no HyperNodes", false, ""),
            new Way("HyperNodes, gang asks for nothing", true, ""),
            new Way("soft", true, "{mode: soft}"),
            new Way("hard, leaf", true, "{mode: hard, highestTierAllowed: 1}"),
            new Way("hard, pod", true, "{mode: hard, highestTierAllowed: 2}"));

    private final KubernetesClient admin;
    private final Volcano volcano;
    private final TreeFabric tree;
    private final int gang;
    private final int rounds;
    private final Random random = new Random(SEED);
    private final List<Integer> busy = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private final PrintStream out;

    private VolcanoBenchmark(
            KubernetesClient admin, Volcano volcano, TreeFabric tree, int gang, int rounds, PrintStream out) {
        this.admin = admin;
        this.volcano = volcano;
        this.tree = tree;
        this.gang = gang;
        this.rounds = rounds;
        this.out = out;
    }

    /** @param arguments the file for the table, the number of rounds, pods of the tree, leaves of a pod, nodes of a leaf, and pods of a gang */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("volcano-bench-");
        int[] numbers =
                Arrays.stream(arguments).skip(1).mapToInt(Integer::parseInt).toArray();
        TreeFabric tree = new TreeFabric(numbers[1], numbers[2], numbers[3]);
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY);
                Volcano volcano = Volcano.find(cluster, directory)
                        .orElseThrow(() -> new IllegalStateException("no Volcano: run \"make setup\""))) {
            new VolcanoBenchmark(cluster.admin(), volcano, tree, numbers[4], numbers[0], System.out)
                    .run(cluster, directory, Path.of(arguments[0]));
        }
    }

    private void run(ControlPlane cluster, Path directory, Path table) throws IOException, InterruptedException {
        out.println(tree.nodes() + " nodes below " + tree.leaves() + " leaves in " + tree.pods()
                + " pods, half of them busy; gangs of " + gang);
        Manifests.apply(cluster);
        volcano.applyCustomResources();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        PlayedJobs.createServiceAccount(admin, NAMESPACE);
        createAll(tree.nodeObjects());
        volcano.start();
        occupy();
        List<String> lines = new ArrayList<>();
        lines.add(
                "way,rounds,median_ms,longest_ms,mean_leaves,mean_pods,cables_median,cables_p90,best_median,best_p90,excess_mean");
        OperatorProcess operator = null;
        try {
            for (Way way : WAYS) {
                if (way.leafAlone() && gang > tree.nodesOfALeaf() / BUSY_SHARE) {
                    // Some round would have no leaf with room, and the gang would wait for ever.
                    continue;
                }
                if (way.hyperNodes() && operator == null) {
                    createAll(tree.switchObjects());
                    createAll(tree.deviceObjects());
                    operator = OperatorProcess.start(cluster, directory, "controller", List.of("-Xmx256m"), Map.of());
                    int pods = tree.pods() == 1 ? 0 : tree.pods();
                    await("HyperNodes", () -> volcano.hyperNodes().size() == tree.leaves() + pods + 1);
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
        for (int node = 0; node < tree.nodes(); node++) {
            free.add(node);
        }
        Collections.shuffle(free, random);
        for (int i = tree.nodes() / BUSY_SHARE; i > 0; i--) {
            begin(free.removeLast());
        }
    }

    /** Other nodes are busy in the next round. */
    private void move() {
        List<Integer> ended = new ArrayList<>();
        for (int i = 0; i < MOVED; i++) {
            ended.add(busy.remove(random.nextInt(busy.size())));
            begin(free.remove(random.nextInt(free.size())));
        }
        for (int node : ended) {
            admin.pods()
                    .inNamespace(NAMESPACE)
                    .withName("busy-" + node)
                    .withGracePeriod(0)
                    .delete();
        }
        free.addAll(ended);
    }

    private void begin(int node) {
        busy.add(node);
        admin.pods()
                .inNamespace(NAMESPACE)
                .resource(Volcano.boundPod("busy-" + node, TreeFabric.nodeName(node)))
                .create();
    }

    private String measure(Way way) throws InterruptedException {
        long[] millis = new long[rounds];
        double leaves = 0;
        double pods = 0;
        double[] cables = new double[rounds];
        double[] best = new double[rounds];
        // The first is not counted.
        for (int round = -1; round < rounds; round++) {
            String job = "gang-" + WAYS.indexOf(way) + "-" + (round + 1);
            move();
            // The scheduler's next session has seen which nodes are free.
            Thread.sleep(1500);
            long begin = System.nanoTime();
            volcano.createGang(NAMESPACE, job, gang, way.topology());
            await(job, () -> volcano.nodesOf(NAMESPACE, job).size() == gang);
            long took = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            if (round >= 0) {
                millis[round] = took;
                List<Integer> at = volcano.nodesOf(NAMESPACE, job).stream()
                        .map(node -> tree.leafOf(TreeFabric.number(node)))
                        .distinct()
                        .toList();
                List<Integer> taken = volcano.nodesOf(NAMESPACE, job).stream()
                        .map(TreeFabric::number)
                        .toList();
                cables[round] = TreePairs.mean(tree, taken);
                best[round] = TreePairs.leastMean(tree, free, gang);
                leaves += at.size();
                pods += at.stream()
                        .map(leaf -> leaf / tree.leavesOfAPod())
                        .distinct()
                        .count();
            }
            volcano.delete(NAMESPACE, job);
            await("the end of " + job, () -> volcano.nodesOf(NAMESPACE, job).isEmpty());
        }
        double excess = (Arrays.stream(cables).sum() - Arrays.stream(best).sum()) / rounds;
        Arrays.sort(millis);
        Arrays.sort(cables);
        Arrays.sort(best);
        int last = (int) Math.ceil(rounds * 0.9) - 1;
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%d,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f,%.3f",
                way.name().replace(",", ""),
                rounds,
                millis[rounds / 2],
                millis[rounds - 1],
                leaves / rounds,
                pods / rounds,
                cables[rounds / 2],
                cables[last],
                best[rounds / 2],
                best[last],
                excess);
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
