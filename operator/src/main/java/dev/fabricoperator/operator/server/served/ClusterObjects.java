/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The three kinds that a server watches, and nothing else. */
public final class ClusterObjects {
    private final KubernetesClient client;
    private final FactStore<FabricDevice, ServedDevice> devices = new FactStore<>(ServedDevice::of, FabricDevice::new);
    private final FactStore<FabricSwitch, SwitchFacts> switches = new FactStore<>(SwitchFacts::of, FabricSwitch::new);
    private final FactStore<Fabric, FabricFacts> fabrics = new FactStore<>(FabricFacts::of, Fabric::new);
    private final Informers informers;

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
        return CompletableFuture.allOf(
                start(FabricDevice.class, devices, changed),
                start(FabricSwitch.class, switches, changed),
                start(Fabric.class, fabrics, changed));
    }

    private <R extends HasMetadata, F extends Fact> CompletableFuture<Void> start(
            Class<R> kind, FactStore<R, F> store, Runnable changed) {
        store.listen((@Nullable F before, @Nullable F after) -> changed.run());
        return informers.start(client.resources(kind), store);
    }

    public List<ServedDevice> devices() {
        return devices.facts();
    }

    public List<SwitchFacts> switches() {
        return switches.facts();
    }

    public List<FabricFacts> fabrics() {
        return fabrics.facts();
    }
}
