/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where both roles make their informers, so that each lists in pages, tries again whatever goes wrong, is counted and ends
 * with the process.
 */
@Singleton
public class Informers {
    /** Objects in one answer of the API server; an unpaged list of 40,000 objects needs 256 MB. */
    public static final long LIST_LIMIT = 500;
    /** The same where whoever may make an object says how large it is, up to some MiB: an answer is in memory as a whole. */
    public static final long TENANT_LIST_LIMIT = 20;

    private final Set<SharedIndexInformer<?>> made = ConcurrentHashMap.newKeySet();

    public Informers(MeterRegistry meters) {
        Gauge.builder(
                        "fabric_operator_informers_not_watching",
                        this,
                        informers -> informers.notWatching().size())
                .description("Informers whose watch is broken")
                .register(meters);
    }

    /** An informer that is not started yet, for whoever adds handlers or a store to it. */
    public <R extends HasMetadata> SharedIndexInformer<R> make(Informable<R> kind) {
        return make(kind, LIST_LIMIT);
    }

    private <R extends HasMetadata> SharedIndexInformer<R> make(Informable<R> kind, long limit) {
        SharedIndexInformer<R> informer = kind.withLimit(limit).runnableInformer(0);
        informer.exceptionHandler((started, problem) -> true);
        made.add(informer);
        return informer;
    }

    /** Starts one that fills a store; the result completes when the store holds what the API server holds. */
    public <R extends HasMetadata> CompletableFuture<Void> start(Informable<R> kind, ItemStore<R> store) {
        return make(kind).itemStore(store).start().toCompletableFuture();
    }

    /** The same for objects of tenants. */
    public <R extends HasMetadata> CompletableFuture<Void> startOfTenants(Informable<R> kind, ItemStore<R> store) {
        return make(kind, TENANT_LIST_LIMIT).itemStore(store).start().toCompletableFuture();
    }

    /** Kinds that are not watched at the moment, or not yet, by their Java name, sorted. */
    public List<String> notWatching() {
        return made.stream()
                .filter(informer -> informer.isRunning() && !informer.isWatching())
                .map(informer -> informer.getApiTypeClass().getSimpleName())
                .sorted()
                .toList();
    }

    @PreDestroy
    void stop() {
        made.forEach(SharedIndexInformer::stop);
    }
}
