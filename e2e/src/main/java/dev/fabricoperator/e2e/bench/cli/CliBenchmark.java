/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.cli;

import dev.fabricoperator.e2e.bench.operator.ServedCluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.MadeDump;
import dev.fabricoperator.e2e.query.QueryClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What every command takes on files of real size, beside {@code topology} of the same file; and what the questions take in a cluster,
 * asked of the operator and computed from all objects. Then what the query API takes for an answer of every kind.
 *
 * <p>Arguments: {@code files}, or {@code cluster} and a number of devices, a multiple of 64.
 */
public final class CliBenchmark {
    private static final int ROUNDS = Integer.parseInt(System.getenv().getOrDefault("ROUNDS", "5"));
    private static final int ANSWERS = 50;

    /** A question about one device or two may take so much more than to show the fabric. */
    private static final double ALLOWED = 1.5;

    private static final List<List<String>> MAPS = List.of(
            List.of("map"), List.of("map", "-o", "svg"), List.of("map", "-o", "html"), List.of("map", "-o", "dot"));

    private final Path program;
    private final Path directory;
    private final List<String> csv = new ArrayList<>();

    private CliBenchmark(Path program, Path directory) {
        this.program = program;
        this.directory = directory;
    }

    private record Dump(String name, Path file, String first, String last, String firstHost, String lastHost) {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = ProjectRoot.find();
        Path directory = root.resolve("e2e/target/bench");
        Files.createDirectories(directory);
        CliBenchmark benchmark = new CliBenchmark(root.resolve("cli/target/kubectl-fabric"), directory);
        if (arguments[0].equals("files")) {
            benchmark.files(root);
        } else {
            benchmark.cluster(Integer.parseInt(arguments[1]));
        }
        Files.write(directory.resolve("cli-" + String.join("-", arguments) + ".csv"), benchmark.csv);
    }

    private void files(Path root) throws IOException, InterruptedException {
        csv.add("dump,command,seconds,cpu_seconds,times_topology");
        Path selene = root.resolve("fixtures/fabric/ib-hdr-selene-storage/ibnetdiscover.txt.gz");
        List<Dump> dumps = List.of(
                new Dump(
                        "ib-hdr-selene-storage, 1,247 devices", selene, "0c42a10300543216", "0c42a10300280050", "", ""),
                made("three tiers, 3,675 devices", "tree-3675", MadeDump.threeTier(3_675, 1), "n3675", 0),
                made("three tiers, 10,000 devices", "tree-10000", MadeDump.threeTier(5_000, 2), "n5000", 1),
                made("rail-optimised, 10,000 devices", "rails-10000", MadeDump.railOptimized(5_000, 2), "n5000", 1));
        for (Dump dump : dumps) {
            file(dump, near(dump), whole(dump));
        }
        file(
                made("three tiers, 2,034 switches, 16,848 devices", "tree-16848", MadeDump.threeTier(16_848, 1), "", 0),
                List.of(),
                MAPS);
    }

    private Dump made(String name, String file, String text, String lastHost, int lastCard) throws IOException {
        Path written = Files.writeString(directory.resolve(file + ".txt"), text);
        return new Dump(name, written, "n1/mlx5_0", lastHost + "/mlx5_" + lastCard, "n1", lastHost);
    }

    /** Those about one device or a few come first. */
    private static List<List<String>> near(Dump dump) {
        List<List<String>> commands = new ArrayList<>(List.of(
                List.of("cost", "--from", dump.first(), "--to", dump.last()),
                List.of("cost", "--row", dump.first()),
                List.of("cost", "--rows", dump.first(), "--cols", dump.last()),
                List.of("path", dump.first(), dump.last()),
                List.of("peers", dump.first()),
                List.of("geometry", dump.first())));
        if (!dump.firstHost().isEmpty()) {
            commands.add(List.of("cost", "--from-node", dump.firstHost(), "--to-node", dump.lastHost()));
            commands.add(List.of("cost", "--nodes", dump.firstHost() + "," + dump.lastHost()));
            commands.add(List.of("cost", "--device", dump.first(), "--group", "0"));
            commands.add(List.of("geometry", dump.firstHost()));
        }
        return commands;
    }

    private List<List<String>> whole(Dump dump) {
        return List.of(
                List.of("groups"),
                List.of("check"),
                List.of("export", "slurm"),
                List.of("export", "slurm", "--format", "yaml", "--plugin", "block"),
                List.of("map"),
                List.of("map", "-o", "html"),
                List.of("topology", "-o", "wide"),
                List.of("topology", "-o", "json"),
                List.of("cost", "--out", directory.resolve("cost.npy").toString()),
                List.of("diff", dump.file().toString()),
                List.of("upload", "--dry-run"));
    }

    private static List<String> with(List<String> command, String... more) {
        List<String> words = new ArrayList<>(command);
        words.addAll(Arrays.asList(more));
        return words;
    }

    private void file(Dump dump, List<List<String>> near, List<List<String>> whole)
            throws IOException, InterruptedException {
        String file = dump.file().toString();
        List<String> topology = List.of("topology", file);
        List<List<String>> all = new ArrayList<>(List.of(topology));
        near.forEach(command -> all.add(with(command, file)));
        whole.forEach(command -> all.add(with(command, file)));
        CommandTimes times = new CommandTimes(program);
        times.warmUp(all);
        for (int round = 0; round < ROUNDS; round++) {
            times.round(all);
        }
        Files.deleteIfExists(directory.resolve("cost.npy"));
        System.out.printf(
                "%n%s, median of %d%n%-60s %8s %8s %10s%n", dump.name(), ROUNDS, "", "s", "CPU s", "x topology");
        for (List<String> command : all) {
            double ratio = times.cpuSeconds(command) / times.cpuSeconds(topology);
            boolean slow = ratio > ALLOWED && all.indexOf(command) <= near.size();
            String words =
                    String.join(" ", command).replace(directory + "/", "").replace(file, "FILE");
            System.out.printf(
                    Locale.ROOT,
                    "%-60s %8.2f %8.2f %10.2f%s%n",
                    words.replace(dump.file().getFileName().toString(), "FILE"),
                    times.seconds(command),
                    times.cpuSeconds(command),
                    ratio,
                    slow ? "  more than " + ALLOWED : "");
            csv.add(String.format(
                    Locale.ROOT,
                    "\"%s\",\"%s\",%.3f,%.3f,%.3f",
                    dump.name(),
                    words,
                    times.seconds(command),
                    times.cpuSeconds(command),
                    ratio));
        }
    }

    private void cluster(int devices) throws IOException, InterruptedException {
        csv.add("devices,command,seconds,cpu_seconds,from_objects_seconds,from_objects_cpu_seconds");
        try (ServedCluster served = ServedCluster.start(devices)) {
            Dump cluster = new Dump(
                    devices + " devices",
                    Path.of("-"),
                    "node-00000/mlx5_0",
                    "node-00050/mlx5_3",
                    "node-00000",
                    "node-00050");
            List<List<String>> commands = new ArrayList<>(near(cluster));
            commands.addAll(List.of(List.of("groups"), List.of("check"), List.of("export", "slurm")));
            commands.add(List.of("fits", "--pods", "64"));
            commands.add(List.of("fits", "--pods", "64", "--tier", "leaf"));
            commands.addAll(MAPS);
            commands.add(List.of("map", "--hosts", "node-[00000-00050]"));
            String kubeconfig = served.cluster().kubeconfig().toString();
            List<List<String>> asked = commands.stream()
                    .map(command -> with(command, "--kubeconfig", kubeconfig))
                    .toList();
            List<List<String>> computed = asked.stream()
                    .map(command -> with(command, "--from-objects"))
                    .toList();
            List<String> start = List.of("--version");
            CommandTimes times = new CommandTimes(program);
            for (List<List<String>> each : List.of(List.of(start), asked, computed)) {
                times.warmUp(each);
            }
            for (int round = 0; round < ROUNDS; round++) {
                times.round(List.of(start));
                times.round(asked);
            }
            for (int round = 0; round < Math.min(ROUNDS, 3); round++) {
                times.round(computed);
            }
            System.out.printf(
                    "%nIn a cluster with %,d devices, median of %d%n%-60s %8s %8s %14s %8s%n",
                    devices, ROUNDS, "", "s", "CPU s", "from objects s", "CPU s");
            System.out.printf(
                    Locale.ROOT, "%-60s %8.2f %8.2f%n", "--version", times.seconds(start), times.cpuSeconds(start));
            for (int i = 0; i < asked.size(); i++) {
                String words = String.join(" ", commands.get(i));
                double[] figures = {
                    times.seconds(asked.get(i)),
                    times.cpuSeconds(asked.get(i)),
                    times.seconds(computed.get(i)),
                    times.cpuSeconds(computed.get(i))
                };
                System.out.printf(
                        Locale.ROOT,
                        "%-60s %8.2f %8.2f %14.2f %8.2f%n",
                        words,
                        figures[0],
                        figures[1],
                        figures[2],
                        figures[3]);
                csv.add(String.format(
                        Locale.ROOT,
                        "%d,\"%s\",%.3f,%.3f,%.3f,%.3f",
                        devices,
                        words,
                        figures[0],
                        figures[1],
                        figures[2],
                        figures[3]));
            }
            endpoints(served);
        }
    }

    private static void endpoints(ServedCluster served) {
        System.out.printf("%nThe query API, median of %d%n%-60s %10s %12s%n", ANSWERS, "", "ms", "bytes");
        try (QueryClient client = served.direct()) {
            for (String below : List.of(
                    "cost?from=0&to=100",
                    "cost?row=0",
                    "cost?rows=0,1&cols=2-10",
                    "cost?fromNode=node-00000&toNode=node-00050",
                    "cost?level=node&nodes=node-00000,node-00050",
                    "cost?from=0&group=1",
                    "cost?level=switch",
                    "vertices?id=node-00000/mlx5_0",
                    "vertices/0",
                    "vertices",
                    "devices/0/geometry",
                    "devices/0/switch",
                    "devices?node=node-00000",
                    "groups",
                    "planes",
                    "switches",
                    "paths?from=0&to=100",
                    "topology",
                    "topology?format=slurm",
                    "topology?format=yaml&plugin=block",
                    "ui",
                    "ui?format=text",
                    "ui?format=svg&job=ring&ranks=2:node-[00000-00050]",
                    "changes?since=1",
                    "watch?watch=true&timeoutSeconds=0")) {
                double[] times = new double[ANSWERS];
                int bytes = 0;
                for (int i = 0; i < ANSWERS; i++) {
                    long start = System.nanoTime();
                    var answer = client.get(ServedCluster.path(below));
                    times[i] = (System.nanoTime() - start) / 1e6;
                    bytes = answer.body().length;
                    if (answer.statusCode() != 200 && answer.statusCode() != 410) {
                        throw new IllegalStateException(below + ": " + answer.statusCode());
                    }
                }
                Arrays.sort(times);
                System.out.printf(Locale.ROOT, "%-60s %10.2f %12d%n", below, times[ANSWERS / 2], bytes);
            }
        }
    }
}
