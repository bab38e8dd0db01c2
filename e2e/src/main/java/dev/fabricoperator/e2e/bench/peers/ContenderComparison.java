/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import dev.fabricoperator.e2e.bench.BenchFabrics;
import dev.fabricoperator.e2e.hostgen.MadeDump;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lets all contenders take turns over the same dumps, so that what else the machine does hits all of them, and prints one
 * table. Wall-clock and processor time are medians over all runs of a contender. Fails where two contenders do not find
 * the same sum of hops.
 *
 * <p>Arguments: a directory for dumps and CSV, the C program, the Python of the libraries, {@code hops.py}, kubectl-fabric.
 */
public final class ContenderComparison {
    private static final String OWN = "fabric-operator";
    private static final int ROUNDS = 9;
    private static final int ROUNDS_OF_SLOW = 2;
    /** Until the JVM's second compiler has seen what matters. */
    private static final int WARM_UP_RUNS = 1000;

    private static final List<String> LIBRARIES =
            List.of("rustworkx-switches", "rustworkx", "igraph", "scipy", "networkx");

    private final Path directory;
    private final Path reference;
    private final Path python;
    private final Path script;
    private final StringBuilder csv = new StringBuilder();
    private final PrintStream out;

    private ContenderComparison(String[] args, PrintStream out) {
        directory = Path.of(args[0]);
        reference = Path.of(args[1]);
        python = Path.of(args[2]);
        script = Path.of(args[3]);
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        ContenderComparison comparison = new ContenderComparison(args, System.out);
        comparison.csv.append(
                "dump,contender,parse_ms,search_ms,wall_ms,cpu_ms,times_c_wall,times_c_cpu,runs,remark\n");
        ColdStarts cold = new ColdStarts(comparison.python, Path.of(args[4]), comparison.directory, System.out);
        for (String recorded : List.of("fabric/ib-hdr-selene-storage", "sim/ft3-k18")) {
            Path dump = comparison.keep(recorded.substring(recorded.lastIndexOf('/') + 1), BenchFabrics.dump(recorded));
            comparison.over(dump);
            cold.over(dump);
        }
        Path large = comparison.keep("ft3-666-switches", MadeDump.largeTree());
        comparison.over(large);
        cold.over(large);
        Files.writeString(comparison.directory.resolve("topology-peers.csv"), comparison.csv);
        Files.writeString(comparison.directory.resolve("topology-cold.csv"), cold.csv());
    }

    private Path keep(String name, String text) throws IOException {
        Path file = directory.resolve(name + ".txt");
        return Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    private void over(Path dump) throws IOException {
        List<ContenderProcess> entrants = new ArrayList<>();
        try {
            entrants.add(new ContenderProcess("C, -O3", List.of(reference.toString(), dump.toString())));
            entrants.add(new ContenderProcess(OWN, java(OwnContender.class, dump)));
            for (String library : LIBRARIES) {
                entrants.add(new ContenderProcess(
                        library, List.of(python.toString(), script.toString(), library, dump.toString())));
            }
            entrants.add(new ContenderProcess("jgrapht", java(JgraphtContender.class, dump)));
            run(entrants);
            requireSameHops(entrants);
            print(dump, entrants);
        } finally {
            entrants.forEach(ContenderProcess::close);
        }
    }

    private static List<String> java(Class<?> main, Path dump) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                dump.toString());
    }

    private static void run(List<ContenderProcess> entrants) throws IOException {
        for (ContenderProcess entrant : entrants) {
            entrant.warmUp(entrant.name().equals(OWN) ? WARM_UP_RUNS : 2);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (ContenderProcess entrant : entrants) {
                if (round < ROUNDS_OF_SLOW || !entrant.isSlow()) {
                    entrant.turn();
                }
            }
        }
    }

    private static void requireSameHops(List<ContenderProcess> entrants) {
        Run first = null;
        for (ContenderProcess entrant : entrants) {
            if (entrant.runs() == 0) {
                continue;
            }
            Run last = entrant.last();
            first = first == null ? last : first;
            if (last.hops() != first.hops() || last.devices() != first.devices()) {
                throw new IllegalStateException(entrant.name() + " finds " + last.hops() + " hops between "
                        + last.devices() + " devices, others " + first.hops() + " between " + first.devices());
            }
        }
    }

    private void print(Path dump, List<ContenderProcess> entrants) throws IOException {
        ContenderProcess c = entrants.getFirst();
        ContenderProcess own = entrants.get(1);
        out.printf(
                Locale.ROOT,
                "%n%s: %,d bytes, %,d devices, sum of hops %,d (the same for all)%n",
                dump.getFileName(),
                Files.size(dump),
                own.last().devices(),
                own.last().hops());
        out.printf(
                "%-20s %9s %9s %9s %9s %7s %7s %5s%n",
                "", "parse ms", "rest ms", "wall ms", "CPU ms", "x C", "x C CPU", "runs");
        for (ContenderProcess entrant : entrants) {
            if (entrant.runs() == 0) {
                out.printf("%-20s %s%n", entrant.name(), entrant.remark());
                csv.append(dump.getFileName() + "," + entrant.name() + ",,,,,,,0," + entrant.remark() + "\n");
                continue;
            }
            double wall = entrant.median(Run::nanos);
            double cpu = entrant.median(Run::cpuNanos);
            double timesWall = c.runs() == 0 ? Double.NaN : wall / c.median(Run::nanos);
            double timesCpu = c.runs() == 0 ? Double.NaN : cpu / c.median(Run::cpuNanos);
            double parse = entrant.median(Run::parseNanos);
            double search = entrant.median(Run::searchNanos);
            out.printf(
                    Locale.ROOT,
                    "%-20s %9.2f %9.2f %9.2f %9.2f %7.2f %7.2f %5d  %s%n",
                    entrant.name(),
                    parse,
                    search,
                    wall,
                    cpu,
                    timesWall,
                    timesCpu,
                    entrant.runs(),
                    entrant.remark());
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,\"%s\",%.4f,%.4f,%.4f,%.4f,%.3f,%.3f,%d,%s%n",
                    dump.getFileName(),
                    entrant.name(),
                    parse,
                    search,
                    wall,
                    cpu,
                    timesWall,
                    timesCpu,
                    entrant.runs(),
                    entrant.remark()));
        }
    }
}
