/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.e2e.bench.Measured;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Memory and speed of the controller with many full-size devices on a real API server, against a bare loop that makes the same
 * objects and writes the same number of statuses with the same client, to the same kind of API server, without an operator.
 *
 * <p>Both begin with an empty API server of their own that holds the nodes already, and both clients have been warmed up; the
 * operator has not, it has only started. Creates and status patches are server-side apply, 32 at one time, in both; what is
 * counted in the bare loop is one create and one status patch for each device and switch, and nothing else.
 *
 * <p>Arguments: a file for the figures as CSV, then numbers of devices, each a multiple of 64. The environment variable
 * {@code OPERATOR_JVM} may hold more flags for the operator's JVM.
 */
public final class OperatorBenchmark {
    private static final int PULLED = 9;
    private static final Duration LIMIT = Duration.ofMinutes(90);
    private static final Duration CABLE_LIMIT = Duration.ofMinutes(2);
    private static final Duration REST = Duration.ofSeconds(3);
    /** As config/operator has it: three quarters of the pod's 1 GiB. */
    private static final List<String> JVM = List.of("-Xmx768m", "-XX:+UseCompactObjectHeaders");

    private final LargeFabric fabric;
    private final Path directory;
    private final ScaleFigures figures;

    private OperatorBenchmark(LargeFabric fabric, Path directory, ScaleFigures figures) {
        this.fabric = fabric;
        this.directory = directory;
        this.figures = figures;
    }

    /** Runs it and prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ScaleFigures figures = new ScaleFigures();
        Path csv = Path.of(arguments[0]);
        for (String devices : Arrays.asList(arguments).subList(1, arguments.length)) {
            figures.begin();
            new OperatorBenchmark(
                            new LargeFabric(Integer.parseInt(devices)),
                            Files.createTempDirectory("operator-bench-"),
                            figures)
                    .run();
            Files.write(csv, figures.csv());
        }
        figures.print();
        System.out.println(csv);
    }

    private void run() throws IOException, InterruptedException {
        figures.add("devices", "%d", fabric.devices());
        figures.add("nodes", "%d", fabric.nodes());
        figures.add("switches", "%d", fabric.switches());
        double bare;
        try (ControlPlane cluster = start()) {
            bare = bareLoop(cluster);
        }
        try (ControlPlane cluster = start()) {
            loaded(cluster, bare);
            restarted(cluster);
        }
    }

    private ControlPlane start() {
        ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY);
        Manifests.apply(cluster);
        Load load = new Load(cluster.admin(), fabric);
        load.createNodes();
        load.warmUp();
        return cluster;
    }

    /** @return seconds */
    private double bareLoop(ControlPlane cluster) throws IOException {
        Load load = new Load(cluster.admin(), fabric);
        Processors before = Processors.now(cluster, null);
        long begin = System.nanoTime();
        load.create();
        double creates = secondsSince(begin);
        load.writeStatuses();
        double took = secondsSince(begin);
        figures.add("bare loop, creates, s", "%.1f", creates);
        figures.add("bare loop, s", "%.1f", took);
        Processors used = Processors.now(cluster, null).since(before);
        figures.add("bare loop, CPU of client, s", "%.1f", used.client());
        figures.add("bare loop, CPU of API server and etcd, s", "%.1f", used.server());
        return took;
    }

    private void loaded(ControlPlane cluster, double bare) throws IOException, InterruptedException {
        KubernetesClient admin = cluster.admin();
        Load load = new Load(admin, fabric);
        GcLog gc = new GcLog(directory.resolve("gc.log"));
        try (OperatorProcess operator = start(cluster, gc);
                FabricWatch watch = new FabricWatch(admin, Load.FABRIC)) {
            Processors before = Processors.now(cluster, operator);
            long begin = System.nanoTime();
            load.create();
            figures.add("creates while the operator runs, s", "%.1f", secondsSince(begin));
            long last = System.nanoTime();
            try (Progress progress = Progress.of(
                    "until Ready",
                    () -> "%,.0f statuses are to be written, %,.0f are written"
                            .formatted(
                                    operator.metric("fabric_operator_status_writes_pending"),
                                    operator.metric("fabric_operator_status_writes_total")))) {
                watch.await(LIMIT, status -> Integer.valueOf(fabric.devices()).equals(status.devices()));
            }
            double ready = secondsSince(begin);
            figures.add("first write to Ready, s", "%.1f", ready);
            figures.add("first write to Ready, times the bare loop", "%.2f", ready / bare);
            figures.add("last create to Ready, s", "%.1f", secondsSince(last));
            Processors used = Processors.now(cluster, operator).since(before);
            figures.add("CPU of client, s", "%.1f", used.client());
            figures.add("CPU of API server and etcd, s", "%.1f", used.server());
            figures.add("CPU of operator, s", "%.1f", used.operator());
            Thread.sleep(REST);
            figures.add(
                    "status writes per device",
                    "%.3f",
                    operator.metric("fabric_operator_status_writes_total", "FabricDevice") / fabric.devices());
            figures.add(
                    "status writes per switch",
                    "%.3f",
                    operator.metric("fabric_operator_status_writes_total", "FabricSwitch") / fabric.switches());
            figures.add("passes", "%.0f", operator.metric("fabric_operator_model_pass_seconds_count"));
            figures.add("passes took together, s", "%.1f", operator.metric("fabric_operator_model_pass_seconds_sum"));
            for (Component component : List.of(Component.API_SERVER, Component.ETCD)) {
                figures.add(
                        component.program() + ", most resident, MiB",
                        "%d",
                        new Measured(cluster.pid(component)).highestResidentKibibytes() / 1024);
            }
            memory(operator, gc);
            pullCables(load, watch, operator);
            long gone = System.nanoTime();
            admin.resources(FabricDevice.class).withName(fabric.deviceName(0)).delete();
            watch.await(
                    CABLE_LIMIT, status -> Integer.valueOf(fabric.devices() - 1).equals(status.devices()));
            figures.add("one device deleted to Ready, ms", "%.0f", secondsSince(gone) * 1e3);
            figures.add("bytes of a device in JSON, mean of 100", "%d", meanSize(admin));
        }
    }

    private void memory(OperatorProcess operator, GcLog gc) throws IOException, InterruptedException {
        Measured process = new Measured(operator.pid());
        figures.add("operator, most heap after a collection, MiB", "%d", gc.highestAfterMebibytes());
        figures.add("operator, largest heap, MiB", "%d", gc.highestHeapMebibytes());
        figures.add("operator, longest pause, ms", "%d", gc.longestPauseMillis());
        figures.add("operator, all pauses, s", "%.1f", gc.allPausesSeconds());
        figures.add("operator, most resident, MiB", "%d", process.highestResidentKibibytes() / 1024);
        new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(operator.pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        figures.add(
                "operator, live heap, MiB",
                "%.0f",
                operator.metric("jvm_memory_used_bytes", "area=\"heap\"") / (1 << 20));
    }

    /** Cables between leaves and a switch over them go, one after the other, as both ends tell, and come back. */
    private void pullCables(Load load, FabricWatch watch, OperatorProcess operator) throws InterruptedException {
        double passes = operator.metric("fabric_operator_model_pass_seconds_count");
        double passSeconds = operator.metric("fabric_operator_model_pass_seconds_sum");
        double writes = operator.metric("fabric_operator_status_writes_total");
        List<Double> millis = new ArrayList<>();
        FabricStatus whole = watch.await(CABLE_LIMIT, status -> true);
        int links = Objects.requireNonNull(whole.links());
        for (int cable = 0; cable < PULLED; cable++) {
            int leaf = cable * fabric.leaves() / PULLED;
            long begin = System.nanoTime();
            load.setCable(leaf, false);
            watch.await(CABLE_LIMIT, status -> Objects.equals(status.links(), links - 1));
            millis.add(secondsSince(begin) * 1e3);
            load.setCable(leaf, true);
            watch.await(CABLE_LIMIT, status -> Objects.equals(status.links(), links));
            Thread.sleep(500);
        }
        millis.sort(null);
        figures.add("one cable pulled to Ready, median of " + PULLED + ", ms", "%.0f", millis.get(PULLED / 2));
        figures.add("one cable pulled to Ready, longest, ms", "%.0f", millis.getLast());
        figures.add(
                "a pass for a cable, mean, ms",
                "%.0f",
                (operator.metric("fabric_operator_model_pass_seconds_sum") - passSeconds)
                        / (operator.metric("fabric_operator_model_pass_seconds_count") - passes)
                        * 1e3);
        figures.add(
                "status writes per cable pulled and plugged",
                "%.1f",
                (operator.metric("fabric_operator_status_writes_total") - writes) / PULLED);
    }

    private void restarted(ControlPlane cluster) throws IOException, InterruptedException {
        cluster.admin().leases().inNamespace(OperatorProcess.NAMESPACE).delete();
        GcLog gc = new GcLog(directory.resolve("gc-restart.log"));
        long begin = System.nanoTime();
        try (OperatorProcess operator = start(cluster, gc)) {
            while (operator.metric("fabric_operator_model_pass_seconds_count") == 0) {
                Thread.sleep(50);
            }
            figures.add("restart to a model of all devices, s", "%.1f", secondsSince(begin));
            Thread.sleep(REST);
            figures.add(
                    "status writes after the restart", "%.0f", operator.metric("fabric_operator_status_writes_total"));
            figures.add("restart, most heap after a collection, MiB", "%d", gc.highestAfterMebibytes());
        }
    }

    private OperatorProcess start(ControlPlane cluster, GcLog gc) {
        List<String> flags = new ArrayList<>(JVM);
        flags.add(gc.option());
        String more = System.getenv("OPERATOR_JVM");
        if (more != null && !more.isBlank()) {
            flags.addAll(Arrays.asList(more.strip().split("\\s+")));
        }
        return OperatorProcess.start(cluster, directory, "controller", flags, Map.of());
    }

    private static long meanSize(KubernetesClient admin) {
        return (long)
                admin
                        .resources(FabricDevice.class)
                        .list(new ListOptionsBuilder().withLimit(100L).build())
                        .getItems()
                        .stream()
                        .mapToInt(device -> Serialization.asJson(device).length())
                        .average()
                        .orElse(0);
    }

    private static double secondsSince(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }
}
