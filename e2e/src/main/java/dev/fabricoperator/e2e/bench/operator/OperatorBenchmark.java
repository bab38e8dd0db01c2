/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Memory and speed of the controller with many full-size devices on a real API server.
 *
 * <p>Arguments: number of devices, a multiple of 64 (10,048), and a file for the table as CSV.
 */
public final class OperatorBenchmark {
    private static final int CONCURRENCY = 32;
    private static final int PULLED = 3;
    private static final long POLL_MILLIS = 20;
    private static final String FABRIC = "infiniband-0";
    private static final List<String> JVM = List.of("-Xmx1g", "-XX:+UseCompactObjectHeaders");

    private final ControlPlane cluster;
    private final KubernetesClient admin;
    private final LargeFabric fabric;
    private final Path directory;
    private final List<String> table = new ArrayList<>(List.of("what,value"));

    private OperatorBenchmark(ControlPlane cluster, LargeFabric fabric, Path directory) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.fabric = fabric;
        this.directory = directory;
    }

    /** Runs it and prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int devices = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_048;
        Path directory = Files.createTempDirectory("operator-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            OperatorBenchmark benchmark = new OperatorBenchmark(cluster, new LargeFabric(devices), directory);
            benchmark.run();
            if (arguments.length > 1) {
                Files.write(Path.of(arguments[1]), benchmark.table);
            }
        }
    }

    private void run() throws IOException, InterruptedException {
        Manifests.apply(cluster);
        row("devices", fabric.devices() + " on " + fabric.nodes() + " nodes");
        row("switches", Integer.toString(fabric.switches()));
        long bare = bareLoop();
        row("bare loop: creates, then status patches", seconds(bare));
        try (OperatorProcess operator = start()) {
            long first = System.nanoTime();
            create();
            long last = System.nanoTime();
            row("the same creates while the operator runs", seconds(last - first));
            row("bytes of a device in JSON, mean of 100", Long.toString(meanSize()));
            awaitReady();
            long ready = System.nanoTime() - first;
            row("first write to Ready", seconds(ready));
            row("first write to Ready, times the bare loop", "%.2f".formatted(ready / (double) bare));
            row("last write to Ready", seconds(System.nanoTime() - last));
            row("status writes", Long.toString((long) operator.metric("fabric_operator_status_writes_total")));
            row("passes", Long.toString((long) operator.metric("fabric_operator_model_pass_seconds_count")));
            memory(operator, "when Ready");
            for (int cable = 0; cable < PULLED; cable++) {
                row("one cable pulled to Fabric updated", seconds(pull(cable)));
            }
            long away = System.nanoTime();
            admin.resources(FabricDevice.class)
                    .withName(fabric.device(0).getMetadata().getName())
                    .delete();
            awaitStatus(status -> Integer.valueOf(fabric.devices() - 1).equals(status.devices()));
            row("one device deleted to Fabric updated", seconds(System.nanoTime() - away));
        }
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
        long restart = System.nanoTime();
        try (OperatorProcess operator = start()) {
            while (operator.metric("fabric_operator_model_pass_seconds_count") == 0) {
                Thread.sleep(POLL_MILLIS);
            }
            row("restart to a model of all devices", seconds(System.nanoTime() - restart));
            Thread.sleep(2_000);
            row("status writes after the restart", Long.toString((long)
                    operator.metric("fabric_operator_status_writes_total")));
            memory(operator, "after a restart");
        }
    }

    /** What the API server takes without any operator; everything is deleted again. */
    private long bareLoop() {
        long begin = System.nanoTime();
        create();
        inParallel(
                fabric.switches(),
                number -> admin.resource(switchStatus(number))
                        .subresource("status")
                        .patch(apply(FabricApi.OPERATOR_FIELD_MANAGER)));
        inParallel(
                fabric.devices(),
                number -> admin.resource(status(number))
                        .subresource("status")
                        .patch(apply(FabricApi.OPERATOR_FIELD_MANAGER)));
        long took = System.nanoTime() - begin;
        admin.resources(FabricDevice.class).delete();
        admin.resources(FabricSwitch.class).delete();
        return took;
    }

    private void create() {
        inParallel(
                fabric.switches(),
                number -> admin.resource(fabric.fabricSwitch(number)).patch(apply("bench")));
        inParallel(
                fabric.devices(),
                number -> admin.resource(fabric.device(number)).patch(apply(FabricApi.AGENT_FIELD_MANAGER)));
    }

    /** A cable between a leaf and a switch over it goes, as both ends tell. */
    private long pull(int number) throws InterruptedException {
        FabricStatus before = Objects.requireNonNull(status());
        int links = Objects.requireNonNull(before.links());
        FabricSwitch leaf = fabric.withPortDown(number, LargeFabric.FIRST_UPLINK);
        FabricSwitch above = fabric.withPortDown(fabric.leaves(), number + 1);
        long begin = System.nanoTime();
        admin.resource(leaf).patch(apply("bench"));
        admin.resource(above).patch(apply("bench"));
        awaitStatus(status -> Integer.valueOf(links - 1).equals(status.links()));
        return System.nanoTime() - begin;
    }

    private FabricDevice status(int number) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(fabric.device(number).getMetadata().getName())
                .build());
        device.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric(FABRIC)
                .plane("0")
                .index(number)
                .group(number / 64)
                .switchId("a000000000000000")
                .switchPort(1)
                .coordinates(coordinates(number / 64, number % 64))
                .build());
        return device;
    }

    private FabricSwitch switchStatus(int number) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(fabric.fabricSwitch(number).getMetadata().getName())
                .build());
        object.setStatus(FabricSwitchStatusBuilder.builder()
                .fabric(FABRIC)
                .level(1)
                .group(number)
                .coordinates(coordinates(number))
                .build());
        return object;
    }

    private static List<CoordinateStatus> coordinates(Integer... values) {
        return List.of(
                new CoordinateStatus(ViewName.logical, List.of(values)),
                new CoordinateStatus(ViewName.physical, List.of(values)));
    }

    private OperatorProcess start() {
        return OperatorProcess.start(cluster, directory, "controller", JVM, Map.of());
    }

    private static PatchContext apply(String manager) {
        return new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(manager)
                .withForce(true)
                .build();
    }

    private long meanSize() {
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

    private void awaitReady() throws InterruptedException {
        while (true) {
            FabricStatus status = status();
            if (status != null
                    && Integer.valueOf(fabric.devices()).equals(status.devices())
                    && is(status, "Ready", ConditionStatus.True)
                    && is(status, "Updating", ConditionStatus.False)) {
                return;
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void awaitStatus(Predicate<FabricStatus> wanted) throws InterruptedException {
        for (FabricStatus status = status(); status == null || !wanted.test(status); status = status()) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private @Nullable FabricStatus status() {
        Fabric found = admin.resources(Fabric.class).withName(FABRIC).get();
        return found == null ? null : found.getStatus();
    }

    private static boolean is(FabricStatus status, String type, ConditionStatus wanted) {
        for (Condition condition : status.conditions()) {
            if (condition.type().equals(type)) {
                return condition.status() == wanted;
            }
        }
        return false;
    }

    private void memory(OperatorProcess operator, String when) throws IOException, InterruptedException {
        row("resident set " + when, procMegabytes(operator.pid(), "VmRSS:"));
        row("resident set " + when + ", highest", procMegabytes(operator.pid(), "VmHWM:"));
        new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(operator.pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        row(
                "live heap " + when,
                "%.0f MB".formatted(operator.metric("jvm_memory_used_bytes", "area=\"heap\"") / (1 << 20)));
    }

    private static String procMegabytes(long pid, String key) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024 + " MB")
                .findFirst()
                .orElse("?");
    }

    private static void inParallel(int count, IntConsumer work) {
        Semaphore permits = new Semaphore(CONCURRENCY);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<? extends Future<?>> all = IntStream.range(0, count)
                    .mapToObj(number -> threads.submit(() -> {
                        permits.acquireUninterruptibly();
                        try {
                            work.accept(number);
                        } finally {
                            permits.release();
                        }
                    }))
                    .toList();
            for (Future<?> one : all) {
                one.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static String seconds(long nanos) {
        return "%.2f s".formatted(nanos / 1e9);
    }

    private void row(String what, String value) {
        table.add('"' + what + "\"," + '"' + value + '"');
        System.out.printf("%-52s %s%n", what, value);
    }
}
