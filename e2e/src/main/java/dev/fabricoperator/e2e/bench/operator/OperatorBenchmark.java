/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricStatus;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Memory and speed of the controller with many full-size devices on a real API server.
 *
 * <p>Argument: number of devices, a multiple of 40 (10,000).
 */
public final class OperatorBenchmark {
    private static final int CONCURRENCY = 32;
    private static final int STATUS_WRITES = 1_000;
    private static final long POLL_MILLIS = 50;
    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseCompactObjectHeaders");

    private final ControlPlane cluster;
    private final KubernetesClient admin;
    private final LargeFabric fabric;
    private final Path directory;

    private OperatorBenchmark(ControlPlane cluster, LargeFabric fabric, Path directory) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.fabric = fabric;
        this.directory = directory;
    }

    /** Runs it and prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int devices = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
        Path directory = Files.createTempDirectory("operator-bench-");
        try (ControlPlane cluster = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            new OperatorBenchmark(cluster, new LargeFabric(devices), directory).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        Manifests.apply(cluster);
        compareStatusWrites();
        try (OperatorProcess operator = start()) {
            admin.resource(fabric.upload(OperatorProcess.NAMESPACE)).create();
            long begin = System.nanoTime();
            inParallel(
                    fabric.devices(),
                    number -> admin.resource(fabric.device(number)).patch(apply(FabricApi.AGENT_FIELD_MANAGER)));
            long last = System.nanoTime();
            row("devices", fabric.devices() + " on " + fabric.nodes() + " nodes");
            row("bytes of a device in JSON, mean of 100", Long.toString(meanSize()));
            row("devices written per second by the agents", perSecond(fabric.devices(), last - begin));
            awaitReady();
            row("last device written to Ready", seconds(System.nanoTime() - last));
            row("status writes", Long.toString((long) operator.metric("fabric_operator_status_writes_total")));
            memory(operator, "when Ready");
            long away = System.nanoTime();
            admin.resources(FabricDevice.class)
                    .withName(fabric.device(0).getMetadata().getName())
                    .delete();
            awaitDevices(fabric.devices() - 1);
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
            row("one pass over the model", seconds((long) (1e9
                    * operator.metric("fabric_operator_model_pass_seconds_sum")
                    / operator.metric("fabric_operator_model_pass_seconds_count"))));
            memory(operator, "after a restart");
        }
    }

    /** Server-side apply against a merge patch, as a way to write a device's status. */
    private void compareStatusWrites() {
        LargeFabric few = new LargeFabric(STATUS_WRITES);
        inParallel(
                STATUS_WRITES,
                number -> admin.resource(few.device(number)).patch(apply(FabricApi.AGENT_FIELD_MANAGER)));
        PatchContext merge = new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(FabricApi.OPERATOR_FIELD_MANAGER)
                .build();
        for (int round = 0; round < 2; round++) {
            String suffix = round == 0 ? " (first time)" : " (again)";
            int plane = round;
            row(
                    "statuses per second, server-side apply" + suffix,
                    timed(number -> admin.resource(status(few, number, "apply-" + plane))
                            .subresource("status")
                            .patch(apply(FabricApi.OPERATOR_FIELD_MANAGER))));
            row(
                    "statuses per second, merge patch" + suffix,
                    timed(number -> admin.resource(status(few, number, "merge-" + plane))
                            .subresource("status")
                            .patch(merge)));
        }
        admin.resources(FabricDevice.class).delete();
    }

    private static String timed(IntConsumer write) {
        long begin = System.nanoTime();
        inParallel(STATUS_WRITES, write);
        return perSecond(STATUS_WRITES, System.nanoTime() - begin);
    }

    private static FabricDevice status(LargeFabric fabric, int number, String plane) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(fabric.device(number).getMetadata().getName())
                .build());
        device.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric("infiniband-0")
                .plane(plane)
                .index(number)
                .group(number / 8)
                .switchId("a000000000000000")
                .switchPort(1)
                .build());
        return device;
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

    private void awaitDevices(int devices) throws InterruptedException {
        for (FabricStatus status = status();
                status == null || !Integer.valueOf(devices).equals(status.devices());
                status = status()) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private @Nullable FabricStatus status() {
        Fabric found = admin.resources(Fabric.class).withName("infiniband-0").get();
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

    private static String perSecond(int count, long nanos) {
        return "%.0f".formatted(count / (nanos / 1e9));
    }

    private static String seconds(long nanos) {
        return "%.2f s".formatted(nanos / 1e9);
    }

    private static void row(String what, String value) {
        System.out.printf("%-52s %s%n", what, value);
    }
}
