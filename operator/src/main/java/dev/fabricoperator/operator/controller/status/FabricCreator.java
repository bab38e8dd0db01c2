/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.NewFabric;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Creates Fabrics for devices that belong to none. */
@Singleton
public class FabricCreator {
    private static final Logger LOG = Logger.getLogger(FabricCreator.class);
    private static final Duration STEP = Duration.ofMillis(20);
    private static final int STEPS_UNTIL_LOOK = 100;

    private final KubernetesClient client;
    private final FactStores stores;
    private final EventWriter events;

    public FabricCreator(KubernetesClient client, FactStores stores, EventWriter events) {
        this.client = client;
        this.stores = stores;
        this.events = events;
    }

    /** Creates them and returns when the store shows them: a pass that does not see them would create others. */
    public void create(List<NewFabric> fabrics) {
        for (NewFabric fabric : fabrics) {
            Fabric object = new Fabric();
            object.setMetadata(new ObjectMetaBuilder()
                    .withName(fabric.name())
                    .addToLabels(FabricApi.LABEL_AUTO_CREATED, "true")
                    .build());
            object.setSpec(fabric.spec());
            try {
                Fabric created = client.resource(object)
                        .fieldManager(FabricApi.OPERATOR_FIELD_MANAGER)
                        .serverSideApply();
                LOG.infof("created Fabric %s", fabric.name());
                events.normal(created, Reason.FabricCreated, "devices belonged to no Fabric");
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    throw e;
                }
            }
        }
        for (NewFabric fabric : fabrics) {
            awaitInStore(fabric.name());
        }
    }

    private void awaitInStore(String name) {
        try {
            for (int step = 1; stores.fabrics().fact(name) == null; step++) {
                Thread.sleep(STEP);
                if (step % STEPS_UNTIL_LOOK == 0
                        && client.resources(Fabric.class).withName(name).get() == null) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KubernetesClientException("interrupted", e);
        }
    }
}
