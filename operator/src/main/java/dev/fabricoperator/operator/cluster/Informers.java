/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.operator.Settings;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The informers of kinds that no reconciler has for its primary.
 *
 * <p>They start when this process becomes the leader, not before: the list that they begin with is a consistent read and so
 * holds everything that an earlier leader wrote, and a standby needs no memory.
 */
@ApplicationScoped
public class Informers {
    /** Objects in one answer of the API server; an unpaged list of 40,000 objects needs 256 MB. */
    public static final long LIST_LIMIT = 500;

    private static final String AGENT_LABEL = "app.kubernetes.io/name";
    private static final String AGENT_LABEL_VALUE = "fabric-agent";

    private final KubernetesClient client;
    private final Settings settings;
    private final FactStores stores;
    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

    public Informers(KubernetesClient client, Settings settings, FactStores stores) {
        this.client = client;
        this.settings = settings;
        this.stores = stores;
    }

    /** Starts them; the result completes when every store holds what the API server holds. */
    public CompletableFuture<Void> start() {
        List<CompletableFuture<Void>> started = List.of(
                start(client.resources(FabricDevice.class), stores.devices()),
                start(client.resources(FabricSwitch.class), stores.switches()),
                start(client.nodes(), stores.nodes()),
                start(
                        client.pods().inNamespace(settings.namespace()).withLabel(AGENT_LABEL, AGENT_LABEL_VALUE),
                        stores.agents()),
                start(
                        client.apps()
                                .daemonSets()
                                .inNamespace(settings.namespace())
                                .withLabel(AGENT_LABEL, AGENT_LABEL_VALUE),
                        stores.agentSets()));
        return CompletableFuture.allOf(started.toArray(CompletableFuture[]::new));
    }

    private <R extends HasMetadata> CompletableFuture<Void> start(Informable<R> kind, FactStore<R, ?> store) {
        SharedIndexInformer<R> informer = kind.withLimit(LIST_LIMIT).runnableInformer(0);
        // Whatever goes wrong, an API server that is away or a watch that is too old, is tried again.
        informer.itemStore(store).exceptionHandler((started, problem) -> true);
        informers.add(informer);
        return informer.start().toCompletableFuture();
    }

    @PreDestroy
    void stop() {
        informers.forEach(SharedIndexInformer::stop);
    }
}
