/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final Duration STEP = Duration.ofMillis(20);

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
            // As it comes back: of names, what cannot be shown is written otherwise.
            Switch ours = SwitchMapper.toSwitch(
                    SwitchMapper.toSpec(SwitchBuilder.from(fabricSwitch).withSource(source)));
            String name = ObjectNames.fabricSwitch(source, fabricSwitch.id());
            wanted.put(name, ours);
            SwitchFacts facts = present.remove(name);
            if (facts == null || !facts.cabling().equals(ours) || !origin.equals(facts.origin())) {
                requests.add(() ->
                        client.resource(object(source, origin, fabricSwitch)).patch(APPLY));
            }
        }
        for (String vanished : present.keySet()) {
            requests.add(() ->
                    client.resources(FabricSwitch.class).withName(vanished).delete());
        }
        runAll(requests);
        if (!requests.isEmpty()) {
            awaitInStore(wanted, List.copyOf(present.keySet()));
        }
        return !requests.isEmpty();
    }

    /** Gives up after a while: a person may have changed or deleted one of them at once. */
    private void awaitInStore(Map<String, Switch> wanted, List<String> vanished) throws InterruptedException {
        long deadline = System.nanoTime() + STORE_LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            boolean there = vanished.stream().allMatch(name -> stores.switches().fact(name) == null)
                    && wanted.entrySet().stream().allMatch(entry -> {
                        SwitchFacts facts = stores.switches().fact(entry.getKey());
                        return facts != null && facts.cabling().equals(entry.getValue());
                    });
            if (there) {
                return;
            }
            Thread.sleep(STEP);
        }
    }

    /** The object by which a source says what it knows of a switch. */
    static FabricSwitch object(String source, String origin, Switch fabricSwitch) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(ObjectNames.fabricSwitch(source, fabricSwitch.id()))
                .addToLabels(FabricApi.LABEL_SOURCE, source)
                .addToAnnotations(FabricApi.ANNOTATION_ORIGIN, origin)
                .build());
        object.setSpec(SwitchMapper.toSpec(SwitchBuilder.from(fabricSwitch).withSource(source)));
        return object;
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
