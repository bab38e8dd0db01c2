/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The three kinds that a server watches, and nothing else. */
public final class ClusterObjects {
    private final KubernetesClient client;
    private final FactStore<FabricDevice, ServedDevice> devices =
            new FactStore<>(FabricMember::isKnown, ServedDevice::of, FabricDevice::new);
    private final DevicesByNode byNode = new DevicesByNode();
    private final FactStore<FabricSwitch, SwitchFacts> switches = new FactStore<>(SwitchFacts::of, FabricSwitch::new);
    private final FactStore<Fabric, FabricFacts> fabrics = new FactStore<>(FabricFacts::of, Fabric::new);
    private final Informers informers;
    private final AtomicInteger impairmentChanges = new AtomicInteger();

    public ClusterObjects(KubernetesClient client, Informers informers) {
        this.client = client;
        this.informers = informers;
    }

    /**
     * Starts to watch; the result completes when every store holds what the API server holds.
     *
     * @param changed called for every change, on a thread that must not wait
     */
    public CompletableFuture<Void> start(Runnable changed) {
        devices.listen((@Nullable ServedDevice before, @Nullable ServedDevice after) -> {
            byNode.changed(before, after);
            if (!impairments(before).equals(impairments(after))) {
                impairmentChanges.incrementAndGet();
            }
            changed.run();
        });
        switches.listen((@Nullable SwitchFacts before, @Nullable SwitchFacts after) -> {
            if (!impairments(before).equals(impairments(after))) {
                impairmentChanges.incrementAndGet();
            }
            changed.run();
        });
        fabrics.listen((@Nullable FabricFacts before, @Nullable FabricFacts after) -> changed.run());
        return CompletableFuture.allOf(
                informers.start(client.resources(FabricDevice.class), devices),
                informers.start(client.resources(FabricSwitch.class), switches),
                informers.start(client.resources(Fabric.class), fabrics));
    }

    private static List<Impairment> impairments(@Nullable ServedDevice device) {
        return device == null ? List.of() : device.device().impairments();
    }

    private static SortedMap<Integer, List<Impairment>> impairments(@Nullable SwitchFacts object) {
        return object == null ? Collections.emptySortedMap() : object.impairments();
    }

    /** Those of which some port is impaired, in the order of their names. O(switches). */
    List<SwitchFacts> impairedSwitches() {
        return switches.facts().stream()
                .filter(object -> !object.impairments().isEmpty())
                .sorted(Comparator.comparing(SwitchFacts::name))
                .toList();
    }

    /** How often those of some device or switch were others than before. */
    int impairmentChanges() {
        return impairmentChanges.get();
    }

    public List<ServedDevice> devices() {
        return devices.facts();
    }

    /** In the order of their names. O(devices of the node). */
    public List<ServedDevice> devicesOf(String node) {
        return byNode.of(node);
    }

    public List<SwitchFacts> switches() {
        return switches.facts();
    }

    public List<FabricFacts> fabrics() {
        return fabrics.facts();
    }
}
