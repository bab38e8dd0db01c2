/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/** Creates Fabrics for devices that belong to none. For one thread. */
@Singleton
final class FabricCreator {
    private static final Logger LOG = Logger.getLogger(FabricCreator.class);

    private final KubernetesClient client;
    private final FactStores stores;
    private final EventWriter events;
    private final Set<String> notSeen = new HashSet<>();

    FabricCreator(KubernetesClient client, FactStores stores, EventWriter events) {
        this.client = client;
        this.stores = stores;
        this.events = events;
    }

    /** @throws KubernetesClientException if one could not be created; those before it were */
    void create(List<NewFabric> fabrics) {
        for (NewFabric fabric : fabrics) {
            Fabric object = new Fabric();
            ObjectMetaBuilder metadata =
                    new ObjectMetaBuilder().withName(fabric.name()).addToLabels(FabricApi.LABEL_AUTO_CREATED, "true");
            if (fabric.madeForNode() != null) {
                metadata.addToLabels(FabricApi.LABEL_MADE_FOR_NODE, fabric.madeForNode());
            }
            object.setMetadata(metadata.build());
            object.setSpec(fabric.spec());
            try {
                // Not server-side apply: that is a patch, and with the right to patch, Fabrics of persons could be
                // changed.
                Fabric created = client.resource(object).create();
                LOG.infof("created Fabric %s", fabric.name());
                events.normal(created, Reason.FabricCreated, "devices belonged to no Fabric");
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    throw e;
                }
            }
            notSeen.add(fabric.name());
        }
    }

    /**
     * Whether the store does not show yet what was created: a model without it would ask for others.
     *
     * @throws KubernetesClientException if the API server could not be asked whether it was deleted meanwhile
     */
    boolean isAwaitingStore() {
        notSeen.removeIf(name -> stores.fabrics().fact(name) != null
                || client.resources(Fabric.class).withName(name).get() == null);
        return !notSeen.isEmpty();
    }
}
