/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Writes what a source says as FabricSwitch objects, and removes what it no longer says. */
@ApplicationScoped
public class SwitchPublisher {
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);

    private static final Duration STORE_LIMIT = Duration.ofSeconds(30);

    private final KubernetesClient client;
    private final FactStores stores;
    private final int concurrency;

    public SwitchPublisher(KubernetesClient client, FactStores stores, Settings settings) {
        this.client = client;
        this.stores = stores;
        this.concurrency = settings.writes().concurrency();
    }

    /**
     * Makes the objects of a source those of {@code switches}. What is equal already is not written. Returns when the store
     * shows all of it: a model of half a dump would take each leaf for a fabric of its own.
     *
     * @param origin value of {@link FabricApi#ANNOTATION_ORIGIN}
     * @return whether anything had to be written
     * @throws KubernetesClientException if a request fails; what is done then stays, and a second call completes it
     */
    boolean publish(String source, String origin, List<Switch> switches) throws InterruptedException {
        Map<String, SwitchFacts> present = new HashMap<>();
        for (SwitchFacts facts : stores.switches().facts()) {
            if (facts.source().equals(source)) {
                present.put(facts.name(), facts);
            }
        }
        Map<String, Switch> wanted = new HashMap<>();
        List<Runnable> requests = new ArrayList<>();
        for (Switch fabricSwitch : switches) {
            FabricSwitch object = SwitchMapper.toObject(source, origin, fabricSwitch);
            // As it comes back: of names, what cannot be shown is written otherwise.
            Switch ours = SwitchMapper.toSwitch(object.getSpec());
            String name = object.getMetadata().getName();
            wanted.put(name, ours);
            SwitchFacts facts = present.remove(name);
            if (facts == null || !facts.cabling().equals(ours) || !origin.equals(facts.origin())) {
                requests.add(() -> client.resource(object).patch(APPLY));
            }
        }
        for (String vanished : present.keySet()) {
            requests.add(() ->
                    client.resources(FabricSwitch.class).withName(vanished).delete());
        }
        runAll(requests);
        if (!requests.isEmpty()) {
            FactStore.await(() -> isShown(wanted, present.keySet()), STORE_LIMIT);
        }
        return !requests.isEmpty();
    }

    private boolean isShown(Map<String, Switch> wanted, Collection<String> vanished) {
        return vanished.stream().allMatch(name -> stores.switches().fact(name) == null)
                && wanted.entrySet().stream().allMatch(entry -> {
                    SwitchFacts facts = stores.switches().fact(entry.getKey());
                    return facts != null && facts.cabling().equals(entry.getValue());
                });
    }

    private void runAll(List<Runnable> requests) throws InterruptedException {
        Semaphore permits = new Semaphore(concurrency);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> done = new ArrayList<>();
            for (Runnable request : requests) {
                permits.acquire();
                done.add(threads.submit(() -> {
                    try {
                        request.run();
                    } finally {
                        permits.release();
                    }
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KubernetesClientException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
