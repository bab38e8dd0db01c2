/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.operator.Settings;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;

/**
 * The informers that fill the {@link FactStores}, but for that of Fabric, which is java-operator-sdk's.
 *
 * <p>They start when this process becomes the leader, not before: the list that they begin with is a consistent read and so
 * holds everything that an earlier leader wrote, and a standby needs no memory.
 */
@Singleton
public class FactInformers {
    private static final String AGENT_LABEL = "app.kubernetes.io/name";
    private static final String AGENT_LABEL_VALUE = "fabric-agent";

    private final KubernetesClient client;
    private final String namespace;
    private final FactStores stores;
    private final Informers informers;

    public FactInformers(KubernetesClient client, Settings settings, FactStores stores, Informers informers) {
        this.client = client;
        this.namespace = settings.namespace();
        this.stores = stores;
        this.informers = informers;
    }

    /** Starts them; the result completes when every store holds what the API server holds. */
    public CompletableFuture<Void> start() {
        return CompletableFuture.allOf(
                informers.start(client.resources(FabricDevice.class), stores.devices()),
                informers.start(client.resources(FabricSwitch.class), stores.switches()),
                informers.start(client.nodes(), stores.nodes()),
                informers.start(
                        client.configMaps().inNamespace(namespace).withLabel(FabricApi.LABEL_TOPOLOGY),
                        stores.uploads()),
                informers.start(
                        client.pods().inNamespace(namespace).withLabel(AGENT_LABEL, AGENT_LABEL_VALUE),
                        stores.agents()),
                informers.start(
                        client.apps().daemonSets().inNamespace(namespace).withLabel(AGENT_LABEL, AGENT_LABEL_VALUE),
                        stores.agentSets()));
    }
}
