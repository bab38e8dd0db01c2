/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.crds.ViewName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Writes a fabric's objects as agents and sources do, and their statuses as the operator does. */
record Load(KubernetesClient client, LargeFabric fabric) {
    /** What the operator takes by default. */
    private static final int CONCURRENCY = 32;

    private static final int WARM_UP = 512;

    /** Name of the Fabric that the operator makes of the devices. */
    static final String FABRIC = "infiniband-0";

    /** Ready nodes for the devices. */
    void createNodes() {
        inParallel(
                "nodes", fabric.nodes(), number -> client.resource(node(number)).create());
    }

    /**
     * Every kind of request that is timed later, a few hundred times, on objects of which none stays: neither this JVM nor the
     * API server should be cold for what comes first only.
     */
    void warmUp() {
        inParallel("warm-up", WARM_UP, number -> {
            FabricDevice device = fabric.device(number % fabric.devices());
            device.getMetadata().setName("warm-up-" + number);
            FabricDevice status = deviceStatus(number);
            status.getMetadata().setName("warm-up-" + number);
            client.resource(device).patch(ServerSideApply.by(FabricApi.AGENT_FIELD_MANAGER));
            writeStatus(status);
            client.resource(device).delete();
        });
    }

    /** Switches, then devices. */
    void create() {
        inParallel(
                "switches",
                fabric.switches(),
                number -> client.resource(fabric.fabricSwitch(number)).patch(ServerSideApply.by("bench")));
        inParallel(
                "devices",
                fabric.devices(),
                number -> client.resource(fabric.device(number))
                        .patch(ServerSideApply.by(FabricApi.AGENT_FIELD_MANAGER)));
    }

    /** As full as the operator's. */
    void writeStatuses() {
        inParallel("statuses of switches", fabric.switches(), number -> writeStatus(switchStatus(number)));
        inParallel("statuses of devices", fabric.devices(), number -> writeStatus(deviceStatus(number)));
    }

    private void writeStatus(HasMetadata object) {
        client.resource(object).subresource("status").patch(ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER));
    }

    /** Both ends of the cable between a leaf and the first switch over it. */
    void setCable(int leaf, boolean up) {
        int above = fabric.switchAbove(leaf);
        List<FabricSwitch> ends = up
                ? List.of(fabric.fabricSwitch(leaf), fabric.fabricSwitch(above))
                : List.of(
                        fabric.withPortDown(leaf, LargeFabric.FIRST_UPLINK),
                        fabric.withPortDown(above, fabric.portAbove(leaf)));
        ends.forEach(end -> client.resource(end).patch(ServerSideApply.by("bench")));
    }

    private static Node node(int number) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(LargeFabric.nodeName(number))
                .addToLabels("kubernetes.io/hostname", LargeFabric.nodeName(number))
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    private FabricDevice deviceStatus(int number) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(
                new ObjectMetaBuilder().withName(fabric.deviceName(number)).build());
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

    private static void inParallel(String what, int count, IntConsumer work) {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (Progress progress = Progress.counting(what, done, count);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<? extends Future<?>> all = IntStream.range(0, CONCURRENCY)
                    .mapToObj(thread -> threads.submit(() -> {
                        for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                            work.accept(number);
                            done.incrementAndGet();
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
}
