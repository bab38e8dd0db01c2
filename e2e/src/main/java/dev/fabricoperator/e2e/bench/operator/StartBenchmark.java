/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.e2e.bench.Measured;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.e2e.system.OperatorJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a start of each role takes, with and without its AOT cache, by turns: until it is ready, and ten seconds after its start, when a controller has led its first pass over eight hosts.
 *
 * <p>Arguments: rounds (5), then flags of the JVM to compare, each word a whole set of flags with blanks in between, {@code %s} in it the role's cache.
 */
public final class StartBenchmark {
    private static final int SETTLED_MILLIS = 10_000;
    private static final List<String> DEFAULT = List.of("-XX:-UsePerfData", "-XX:-UsePerfData -XX:AOTCache=%s");

    private record Start(double wallReady, double cpuReady, double cpuSettled, double resident, double own) {}

    private StartBenchmark() {}

    /** Runs it and prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        List<String> variants = arguments.length > 1 ? List.of(arguments).subList(1, arguments.length) : DEFAULT;
        Path directory = Files.createTempDirectory("start-bench-");
        Map<String, List<Start>> starts = new LinkedHashMap<>();
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            Manifests.apply(cluster);
            for (int host = 1; host <= SmallFabric.HOSTS; host++) {
                cluster.admin().resource(SmallFabric.device(host)).create();
            }
            cluster.admin().resource(SmallFabric.upload(SmallFabric.dump())).create();
            for (int round = 0; round < rounds; round++) {
                for (String role : List.of("controller", "server")) {
                    for (String variant : variants) {
                        starts.computeIfAbsent("%-10s %s".formatted(role, variant), key -> new ArrayList<>())
                                .add(start(cluster, directory, role, variant));
                    }
                }
            }
        }
        System.out.printf(
                "%9s %9s %9s %9s %9s  %s%n",
                "ready s", "CPU s", "10 s: CPU", "RSS MiB", "own MiB", "role, flags (medians)");
        starts.forEach((key, all) -> System.out.printf(
                "%9.2f %9.2f %9.2f %9.0f %9.0f  %s%n",
                median(all, Start::wallReady),
                median(all, Start::cpuReady),
                median(all, Start::cpuSettled),
                median(all, Start::resident),
                median(all, Start::own),
                key));
    }

    private static Start start(ControlPlane cluster, Path directory, String role, String variant)
            throws IOException, InterruptedException {
        cluster.admin().leases().inNamespace(OperatorProcess.NAMESPACE).delete();
        Path cache = OperatorJvm.cache(role)
                .orElseThrow(() -> new IllegalStateException("no image of this build: run \"make images\""));
        String flags = variant.replace("%s", cache.toString());
        List<String> arguments = new ArrayList<>(List.of("-XX:MaxRAM=1g"));
        arguments.addAll(
                Arrays.stream(flags.split(" ")).filter(flag -> !flag.isEmpty()).toList());
        long begun = System.nanoTime();
        try (OperatorProcess process = OperatorProcess.startCommand(
                cluster, directory, role, OperatorJvm.commandWithoutCache(role, arguments), Map.of())) {
            double wall = (System.nanoTime() - begun) / 1e9;
            Measured measured = new Measured(process.pid());
            double cpu = measured.processorTime().toMillis() / 1e3;
            Thread.sleep(Math.max(0, SETTLED_MILLIS - (System.nanoTime() - begun) / 1_000_000));
            Start start = new Start(
                    wall,
                    cpu,
                    measured.processorTime().toMillis() / 1e3,
                    measured.residentKibibytes() / 1024.0,
                    measured.privateKibibytes() / 1024.0);
            process.kill();
            return start;
        }
    }

    private static double median(List<Start> starts, ToDoubleFunction<Start> value) {
        return starts.stream().mapToDouble(value).sorted().toArray()[starts.size() / 2];
    }
}
