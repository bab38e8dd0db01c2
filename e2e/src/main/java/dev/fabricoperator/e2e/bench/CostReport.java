/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import dev.fabricoperator.e2e.bench.BenchFabrics.Tree;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.CostModel;
import dev.fabricoperator.fabric.cost.GroupCosts;
import dev.fabricoperator.fabric.cost.LinkCosts;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.topology.Topology;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Costs at 2,000 switches and 80,000 devices: all of them, and after one thing is out; rows, nodes and groups; memory at
 * 65,536 vertices. {@code e2e/bench/cost.sh} starts it.
 *
 * <p>Everything is timed in one warm process, a round of each case after the other, and every matrix that follows a change
 * is compared with the one that is computed from nothing before anything is timed.
 */
public final class CostReport {
    /** A fat tree of 2,000 switches: 40 pods of 20 leaves and 20 aggregation switches, 400 cores. */
    private static final int PORTS = 40;

    private static final int DEVICES_PER_LEAF = 100;
    private static final int DEVICES_PER_HOST = 8;
    /** Different things that are out, for each kind. */
    private static final int VARIANTS = 4;

    private static final int WARM_UP = 60;
    private static final int ROUNDS = 300;
    private static final int MODEL_ROUNDS = 20;
    private static final int ROW_ROUNDS = 20_000;

    private final Tree tree = BenchFabrics.fatTree(PORTS, DEVICES_PER_LEAF);
    private final Topology whole = Topology.of(tree.switches(), tree.vertices());
    private final LinkCosts links = LinkCosts.of(whole);
    private final CostMatrix before = withDigest(CostModel.of(links));
    private final Map<String, List<Topology>> changed = new LinkedHashMap<>();
    private final Map<String, Timings> results = new LinkedHashMap<>();

    private CostReport() {
        changed.put("cable of a leaf out", variants(v -> withoutCable(leaf(v))));
        changed.put("cable of a core out", variants(v -> withoutCable(aggregation(v))));
        changed.put("leaf out", variants(v -> withoutSwitch(leaf(v))));
        changed.put("aggregation switch out", variants(v -> withoutSwitch(aggregation(v))));
        changed.put("core switch out", variants(v -> withoutSwitch(BenchFabrics.id(3, 97 * v))));
        changed.put(
                "device out",
                variants(v -> Topology.of(
                        tree.switches(),
                        tree.vertices().stream()
                                .filter(x -> x.index() != 1 + 20_011 * v)
                                .toList())));
    }

    /** @param args file for the table as CSV */
    public static void main(String[] args) throws IOException {
        CostReport report = new CostReport();
        report.check();
        report.run(WARM_UP);
        report.results.clear();
        report.run(ROUNDS);
        report.models();
        report.rows();
        report.print(System.out);
        if (args.length > 0) {
            report.write(Path.of(args[0]));
        }
        printMemory(BenchFabrics.fatTree(64, 32), System.out);
    }

    private interface Variant {
        Topology of(int number);
    }

    private static List<Topology> variants(Variant variant) {
        List<Topology> made = new ArrayList<>();
        for (int number = 0; number < VARIANTS; number++) {
            made.add(variant.of(number));
        }
        return made;
    }

    private static String leaf(int variant) {
        return BenchFabrics.id(1, 7 + 211 * variant);
    }

    private static String aggregation(int variant) {
        return BenchFabrics.id(2, 3 + 197 * variant);
    }

    /** Without the last cable of a switch, which leads to a switch: in these trees there is one per pair. */
    private Topology withoutCable(String id) {
        List<Switch> switches = new ArrayList<>();
        Switch near = byId(id);
        String far = farId(near.ports().getLast());
        for (Switch node : tree.switches()) {
            boolean end = node.id().equals(id) || node.id().equals(far);
            String other = node.id().equals(id) ? far : id;
            switches.add(end ? withPorts(node, port -> !farId(port).equals(other)) : node);
        }
        return Topology.of(switches, tree.vertices());
    }

    private Topology withoutSwitch(String id) {
        List<Switch> switches = tree.switches().stream()
                .filter(node -> !node.id().equals(id))
                .map(node -> withPorts(node, port -> !farId(port).equals(id)))
                .toList();
        return Topology.of(switches, tree.vertices());
    }

    private Switch byId(String id) {
        return tree.switches().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String farId(SwitchPort port) {
        return Objects.requireNonNull(port.peer()).id();
    }

    private static Switch withPorts(Switch node, Predicate<SwitchPort> which) {
        return new Switch(
                node.id(),
                null,
                null,
                null,
                null,
                "bench",
                node.ports().stream().filter(which).toList());
    }

    private CostMatrix updated(Topology after) {
        return withDigest(CostModel.update(links, before, LinkCosts.of(after)));
    }

    /** The operator asks for it each time. */
    private static CostMatrix withDigest(CostMatrix matrix) {
        if (matrix.digest().isEmpty()) {
            throw new IllegalStateException("a matrix without digest");
        }
        return matrix;
    }

    private void check() {
        changed.forEach((name, topologies) -> topologies.forEach(after -> {
            if (!updated(after).digest().equals(CostModel.of(after).digest())) {
                throw new IllegalStateException(name + ": the matrix that follows is not the full one");
            }
        }));
    }

    private void run(int rounds) {
        for (int round = 0; round < rounds; round++) {
            int variant = round % VARIANTS;
            timings("full", rounds).time(() -> withDigest(CostModel.of(whole)));
            changed.forEach((name, topologies) -> timings(name, rounds).time(() -> updated(topologies.get(variant))));
        }
    }

    /** A whole model, classification and coordinates included, as the controller and the servers make one. */
    private void models() {
        FabricModel last = FabricModel.of(tree.switches(), tree.vertices());
        withDigest(last.cost());
        ModelOptions options = new ModelOptions(last.numbering(), Weights.NONE);
        List<Switch> one = new ArrayList<>(tree.switches());
        Switch node = one.getLast();
        one.set(one.size() - 1, withPorts(node, p -> p != node.ports().getLast()));
        for (int round = -MODEL_ROUNDS / 2; round < MODEL_ROUNDS; round++) {
            Timings full = round < 0 ? new Timings(1) : timings("model, all costs anew", MODEL_ROUNDS);
            full.time(() ->
                    withDigest(FabricModel.of(one, tree.vertices(), options).cost()));
            Timings following = round < 0 ? new Timings(1) : timings("model, costs from the last one", MODEL_ROUNDS);
            following.time(() -> withDigest(
                    FabricModel.of(one, tree.vertices(), options, last).cost()));
        }
    }

    private void rows() {
        short[] row = new short[before.vertices()];
        int[][] hosts = new int[before.vertices() / DEVICES_PER_HOST][DEVICES_PER_HOST];
        int[] group = new int[before.vertices()];
        for (int slot = 0; slot < group.length; slot++) {
            hosts[slot % hosts.length][slot / hosts.length] = slot;
            group[slot] = slot / (DEVICES_PER_LEAF * PORTS / 2);
        }
        NodeCosts nodes = NodeCosts.of(before, hosts);
        GroupCosts groups = GroupCosts.of(before, group);
        for (int round = -ROW_ROUNDS / 2; round < ROW_ROUNDS; round++) {
            int from = Math.floorMod(round * 4099, before.vertices());
            int node = from % hosts.length;
            boolean warm = round < 0;
            (warm ? new Timings(1) : timings("row of a device", ROW_ROUNDS)).time(() -> {
                before.row(from, row);
                return row;
            });
            (warm ? new Timings(1) : timings("row of a host of 8 devices", ROW_ROUNDS)).time(() -> {
                nodes.row(node, row);
                return row;
            });
            (warm ? new Timings(1) : timings("device to a group", ROW_ROUNDS))
                    .time(() -> groups.fromDevice(from, from % PORTS));
        }
    }

    private Timings timings(String name, int rounds) {
        return results.computeIfAbsent(name, n -> new Timings(rounds));
    }

    private void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%,d switches, %,d devices, 3 levels%n%-34s %7s %11s %11s %11s%n",
                whole.switches(),
                whole.slots(),
                "",
                "rounds",
                "median ms",
                "p99 ms",
                "median cpu");
        results.forEach((name, t) -> out.printf(
                Locale.ROOT,
                "%-34s %7d %11.4f %11.4f %11.4f%n",
                name,
                t.rounds(),
                t.medianMilliseconds(),
                t.p99Milliseconds(),
                t.medianProcessorMilliseconds()));
    }

    private void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of("case,rounds,median_ms,p99_ms,median_cpu_ms"));
        results.forEach((name, t) -> lines.add(String.format(
                Locale.ROOT,
                "\"%s\",%d,%.4f,%.4f,%.4f",
                name,
                t.rounds(),
                t.medianMilliseconds(),
                t.p99Milliseconds(),
                t.medianProcessorMilliseconds())));
        Files.write(file, lines);
    }

    private static void printMemory(Tree tree, PrintStream out) {
        CostMatrix cost = CostModel.of(Topology.of(tree.switches(), tree.vertices()));
        long dense = 2L * cost.vertices() * cost.vertices();
        out.printf(
                Locale.ROOT,
                "matrix of %,d vertices: kept %,d bytes, dense %,d bytes, %.0f times as much%n",
                cost.vertices(),
                cost.bytes(),
                dense,
                (double) dense / cost.bytes());
    }
}
