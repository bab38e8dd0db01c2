/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.Fabric;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.Set;

/** Tells the reconciler of Fabrics that the model has changed. */
@Singleton
final class FabricEvents extends AbstractEventSource<Void, Fabric> {
    FabricEvents() {
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
