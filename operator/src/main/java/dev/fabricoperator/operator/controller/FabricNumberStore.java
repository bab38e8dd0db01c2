/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.model.FabricNumbers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import jakarta.inject.Singleton;

/**
 * Keeps the {@link FabricNumbers} in a ConfigMap, so that no end of a process skips a number or gives one twice: an index is kept
 * with the Fabric that it is for before that has it, the number in a name when the Fabric of that name exists. A ConfigMap that was lost
 * is made up from the Fabrics that exist.
 */
@Singleton
final class FabricNumberStore {
    static final String NAME = "fabric-operator-numbers";

    private final KubernetesClient client;
    private final String namespace;

    FabricNumberStore(KubernetesClient client, Settings settings) {
        this.client = client;
        this.namespace = settings.namespace();
    }

    FabricNumbers load() {
        ConfigMap map =
                client.configMaps().inNamespace(namespace).withName(NAME).get();
        return map == null || map.getData() == null ? FabricNumbers.START : FabricNumbers.parse(map.getData());
    }

    void save(FabricNumbers numbers) {
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(namespace)
                .endMetadata()
                .withData(numbers.toData())
                .build();
        client.resource(map).fieldManager("fabric-operator").forceConflicts().serverSideApply();
    }
}
