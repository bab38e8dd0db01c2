/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.volcano;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SchedulerProcess;
import dev.fabricoperator.e2e.volcano.RailFabric;
import dev.fabricoperator.e2e.volcano.TreeFabric;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Gangs on a fat tree or a rail-optimised fabric of which half is busy, other nodes in each round: from the creation of a Job to the last
 * of its pods bound, below how many leaves (or units) and pods it lies, and how many cables are between two of its nodes, beside the least that
 * any placement on the free nodes has. First without HyperNodes, then with those of the operator, at last with those that Volcano makes of the
 * operator's labels; and by kube-scheduler, without and with the operator's extender. WAYS in the environment names sources, a comma between two;
 * VOLCANO_ARGUMENTS are further arguments of Volcano's scheduler, a blank between two.
 */
public final class VolcanoBenchmark {
    private static final String NAMESPACE = "gangs";
    private static final int BUSY_SHARE = 2;
    /** Busy nodes whose pods end before a round, while as many begin elsewhere. */
    private static final int MOVED = 60;

    private static final String JOB_NAME = "batch.kubernetes.io/job-name";
    private static final String TIER = "fabric-operator.dev/tier-";
    private static final int SEED = 13;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofMillis(20);

    private enum Source {
        NOBODY,
        OPERATOR,
        /** Volcano's discoverer called label. */
        LABELS,
        /** kube-scheduler in Volcano's place. */
        KUBE_SCHEDULER,
        /** kube-scheduler, which asks the operator's extender. */
        EXTENDER
    }

    private record Way(String name, Source hyperNodes, String topology) {
        boolean isOfVolcano() {
            return hyperNodes != Source.KUBE_SCHEDULER && hyperNodes != Source.EXTENDER;
        }

        boolean leafAlone() {
            return topology.contains("highestTierAllowed: 1");
        }
    }

    private static final List<Way> WAYS = List.of(
            new Way("no HyperNodes", Source.NOBODY, ""),
            new Way("HyperNodes, gang asks for nothing", Source.OPERATOR, ""),
            new Way("soft", Source.OPERATOR, "{mode: soft}"),
            new Way("hard, tier 1", Source.OPERATOR, "{mode: hard, highestTierAllowed: 1}"),
            new Way("hard, tier 2", Source.OPERATOR, "{mode: hard, highestTierAllowed: 2}"),
            new Way("by labels, gang asks for nothing", Source.LABELS, ""),
            new Way("by labels, soft", Source.LABELS, "{mode: soft}"),
            new Way("by labels, hard, tier 1", Source.LABELS, "{mode: hard, highestTierAllowed: 1}"),
            new Way("kube-scheduler", Source.KUBE_SCHEDULER, ""),
            new Way("kube-scheduler with the extender", Source.EXTENDER, ""));

    private final KubernetesClient admin;
    private final Volcano volcano;
    private final TreeFabric tree;
    private final int rails;
    private final int gang;
    private final int rounds;
    private final Random random = new Random(SEED);
    private final List<Integer> busy = new ArrayList<>();
    private final List<Integer> free = new ArrayList<>();
    private final PrintStream out;
    /** Excess of cables over the best, ascending, without HyperNodes. */
    private double[] alone = {};

    private VolcanoBenchmark(
            KubernetesClient admin,
            Volcano volcano,
            TreeFabric tree,
            int rails,
            int gang,
            int rounds,
            PrintStream out) {
        this.admin = admin;
        this.volcano = volcano;
        this.tree = tree;
        this.rails = rails;
        this.gang = gang;
        this.rounds = rounds;
        this.out = out;
    }

    /** @param arguments the file for the table, the number of rounds, pods of the tree, leaves of a pod, nodes of a leaf, pods of a gang, and rails: 1 is a tree */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("volcano-bench-");
        int[] numbers =
                Arrays.stream(arguments).skip(1).mapToInt(Integer::parseInt).toArray();
        TreeFabric tree = new TreeFabric(numbers[1], numbers[2], numbers[3]);
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY);
                Volcano volcano = Volcano.find(cluster, directory)
                        .orElseThrow(() -> new IllegalStateException("no Volcano: run \"make setup\""))) {
            new VolcanoBenchmark(cluster.admin(), volcano, tree, numbers[5], numbers[4], numbers[0], System.out)
                    .run(cluster, directory, Path.of(arguments[0]));
        }
    }

    private void run(ControlPlane cluster, Path directory, Path table) throws IOException, InterruptedException {
        out.println(tree.nodes() + " nodes "
                + (rails == 1
                        ? "below " + tree.leaves() + " leaves in " + tree.pods() + " pods"
                        : "in " + tree.leaves() + " units of " + rails + " rails")
                + ", half of them busy; gangs of " + gang);
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
        String arguments = Objects.requireNonNullElse(System.getenv("VOLCANO_ARGUMENTS"), "");
        volcano.start(arguments.isBlank() ? new String[0] : arguments.strip().split(" +"));
        occupy();
        List<String> lines = new ArrayList<>();
        lines.add(
                "way,rounds,median_ms,longest_ms,mean_leaves,mean_pods,cables_median,cables_p90,best_median,best_p90,excess_mean,closed_mean,closed_median,closed_p90");
        OperatorProcess operator = null;
        Source source = Source.NOBODY;
        try {
            for (Way way : ways()) {
                if (way.leafAlone() && gang > tree.nodesOfALeaf() / BUSY_SHARE) {
                    // Some round would have no leaf with room, and the gang would wait for ever.
                    continue;
                }
                if (way.hyperNodes() != source) {
                    source = way.hyperNodes();
                    if (operator == null) {
                        createFabric();
                    } else {
                        operator.terminate();
                    }
                    operator = start(cluster, directory, source);
                }
                if (way.isOfVolcano()) {
                    lines.add(measure(way));
                } else {
                    lines.add(measureKubeScheduler(way, cluster, directory));
                }
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

    private static List<Way> ways() {
        String chosen = System.getenv("WAYS");
        return chosen == null
                ? WAYS
                : WAYS.stream()
                        .filter(way -> way.hyperNodes() == Source.NOBODY
                                || List.of(chosen.split(","))
                                        .contains(way.hyperNodes().name()))
                        .toList();
    }

    private String measureKubeScheduler(Way way, ControlPlane cluster, Path directory)
            throws IOException, InterruptedException {
        if (way.hyperNodes() == Source.KUBE_SCHEDULER) {
            try (ServerProcess scheduler = SchedulerProcess.start(cluster, directory, null)) {
                return measure(way);
            }
        }
        int port = Ports.free();
        try (OperatorProcess server = OperatorProcess.start(
                        cluster,
                        directory,
                        "server",
                        List.of("-Xmx512m"),
                        Map.of(
                                "FABRIC_OPERATOR_EXTENDER_ENABLED", "true",
                                "FABRIC_OPERATOR_EXTENDER_HOST", "127.0.0.1",
                                "FABRIC_OPERATOR_EXTENDER_PORT", Integer.toString(port)));
                ServerProcess scheduler = SchedulerProcess.start(cluster, directory, port)) {
            String figures = measure(way);
            int asked = gang * (rounds + 1);
            if (server.metric("fabric_operator_extender_seconds_count", "answered") < asked) {
                throw new IllegalStateException("not all questions were answered: " + scheduler.logTail());
            }
            return figures;
        }
    }

    private void createGang(Way way, String job) {
        if (way.isOfVolcano()) {
            volcano.createGang(NAMESPACE, job, gang, way.topology());
            return;
        }
        Job made = PlayedJobs.create(admin, NAMESPACE, job, gang, Map.of());
        for (int index = 0; index < gang; index++) {
            admin.resource(PlayedJobs.podOf(made, index)
                            .editMetadata()
                            .addToLabels(JOB_NAME, job)
                            .endMetadata()
                            .editSpec()
                            .addNewToleration()
                            .withOperator("Exists")
                            .endToleration()
                            .editFirstContainer()
                            .withNewResources()
                            .addToRequests("cpu", new Quantity("3"))
                            .endResources()
                            .endContainer()
                            .endSpec()
                            .build())
                    .create();
        }
    }

    private List<String> nodesOf(Way way, String job) {
        if (way.isOfVolcano()) {
            return volcano.nodesOf(NAMESPACE, job);
        }
        return admin.pods().inNamespace(NAMESPACE).withLabel(JOB_NAME, job).list().getItems().stream()
                .map(pod -> pod.getSpec().getNodeName())
                .filter(Objects::nonNull)
                .toList();
    }

    private void deleteGang(Way way, String job) {
        if (way.isOfVolcano()) {
            volcano.delete(NAMESPACE, job);
            return;
        }
        admin.batch().v1().jobs().inNamespace(NAMESPACE).withName(job).delete();
        admin.pods()
                .inNamespace(NAMESPACE)
                .withLabel(JOB_NAME, job)
                .withGracePeriod(0)
                .delete();
    }

    private void createFabric() {
        if (rails == 1) {
            createAll(tree.switchObjects());
            createAll(tree.deviceObjects());
        } else {
            RailFabric fabric = new RailFabric(tree, rails);
            createAll(fabric.switchObjects());
            createAll(fabric.deviceObjects());
        }
    }

    private OperatorProcess start(ControlPlane cluster, Path directory, Source source) throws InterruptedException {
        boolean labels = source == Source.LABELS;
        boolean hyperNodes = source == Source.OPERATOR;
        OperatorProcess operator = OperatorProcess.start(
                cluster,
                directory,
                "controller",
                List.of("-Xmx256m"),
                Map.of(
                        "FABRIC_OPERATOR_VOLCANO_ENABLED",
                        Boolean.toString(hyperNodes),
                        "FABRIC_OPERATOR_NODE_LABELS_ENABLED",
                        Boolean.toString(labels)));
        if (labels) {
            await("the end of HyperNodes", () -> volcano.hyperNodes().isEmpty());
            await("labels", () -> labelled().size() == tree.nodes());
            volcano.discoverByLabels(labelled().getFirst().getMetadata().getLabels().keySet().stream()
                    .filter(label -> label.startsWith(TIER))
                    .sorted(Comparator.reverseOrder())
                    .toList());
        }
        if (labels || hyperNodes) {
            int pods = tree.pods() == 1 ? 0 : tree.pods();
            await("HyperNodes", () -> volcano.hyperNodes().size() == tree.leaves() + pods + 1);
        }
        // What it writes to the devices must not be timed.
        await("statuses", operatorIsDone(operator));
        return operator;
    }

    private List<Node> labelled() {
        return admin.nodes().withLabel("fabric-operator.dev/fabric").list().getItems();
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
        for (int i = Math.min(MOVED, tree.nodes() / 8); i > 0; i--) {
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
            createGang(way, job);
            await(job, () -> nodesOf(way, job).size() == gang);
            long took = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            if (round >= 0) {
                millis[round] = took;
                List<Integer> taken =
                        nodesOf(way, job).stream().map(TreeFabric::number).toList();
                List<Integer> at = taken.stream().map(tree::leafOf).distinct().toList();
                cables[round] = TreePairs.mean(tree, taken);
                best[round] = TreePairs.leastMean(tree, free, gang);
                leaves += at.size();
                pods += at.stream()
                        .map(leaf -> leaf / tree.leavesOfAPod())
                        .distinct()
                        .count();
            }
            deleteGang(way, job);
            await("the end of " + job, () -> nodesOf(way, job).isEmpty());
        }
        double[] excess = new double[rounds];
        Arrays.setAll(excess, round -> cables[round] - best[round]);
        Arrays.sort(excess);
        if (way.hyperNodes() == Source.NOBODY) {
            alone = excess;
        }
        double mean = Arrays.stream(excess).average().orElse(0);
        Arrays.sort(millis);
        Arrays.sort(cables);
        Arrays.sort(best);
        int last = (int) Math.ceil(rounds * 0.9) - 1;
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%d,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f,%.3f,%.0f%%,%.0f%%,%.0f%%",
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
                mean,
                closed(mean, Arrays.stream(alone).average().orElse(0)),
                closed(excess[rounds / 2], alone[rounds / 2]),
                closed(excess[last], alone[last]));
    }

    /** Percent of the excess without HyperNodes that is gone. */
    private static double closed(double excess, double alone) {
        return 100 * (1 - excess / alone);
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
