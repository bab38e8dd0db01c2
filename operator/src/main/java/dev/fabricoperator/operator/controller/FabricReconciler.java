/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Informers;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.quarkiverse.operatorsdk.runtime.api.ConfigurableReconciler;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Takes a Fabric one or more steps on towards the generation that the model wants; see {@link GenerationPublisher}. */
@ControllerConfiguration(name = FabricReconciler.NAME, fieldManager = FabricApi.OPERATOR_FIELD_MANAGER)
public class FabricReconciler implements ConfigurableReconciler<Fabric> {
    static final String NAME = "fabric";

    private static final int FIRST_RETRY_MILLIS = 500;
    private static final int LAST_RETRY_MILLIS = 30_000;

    private final FactStores stores;
    private final GenerationPublisher publisher;
    private final ModelEvents modelEvents;

    FabricReconciler(FactStores stores, GenerationPublisher publisher, ModelEvents modelEvents) {
        this.stores = stores;
        this.publisher = publisher;
        this.modelEvents = modelEvents;
    }

    /** Has Fabrics reconciled when the model has changed, or their devices' statuses are written. */
    @Singleton
    static final class ModelEvents extends AbstractEventSource<Void, Fabric> {
        ModelEvents() {
            super(Void.class, "model");
        }

        void fire(Collection<String> fabrics) {
            if (isRunning()) {
                fabrics.forEach(name -> getEventHandler().handleEvent(new Event(new ResourceID(name))));
            }
        }

        @Override
        public Set<Void> getSecondaryResources(Fabric primary) {
            return Set.of();
        }
    }

    @Override
    public void updateConfigurationFrom(ControllerConfigurationOverrider<Fabric> configuration) {
        configuration
                .withItemStore(stores.fabrics())
                .withInformerListLimit(Informers.LIST_LIMIT)
                .withRetry(retryForever());
    }

    /** An API server that is away for an hour is no reason to give up. */
    private static Retry retryForever() {
        return new GenericRetry()
                .setInitialInterval(FIRST_RETRY_MILLIS)
                .setIntervalMultiplier(2)
                .setMaxInterval(LAST_RETRY_MILLIS)
                .setMaxAttempts(-1);
    }

    @Override
    public List<EventSource<?, Fabric>> prepareEventSources(EventSourceContext<Fabric> context) {
        return List.of(modelEvents);
    }

    /** The status is not given back to be written: only an accepted one counts as written, and makes Events. */
    @Override
    public UpdateControl<Fabric> reconcile(Fabric fabric, Context<Fabric> context) {
        publisher.advance(fabric);
        return UpdateControl.noUpdate();
    }
}
