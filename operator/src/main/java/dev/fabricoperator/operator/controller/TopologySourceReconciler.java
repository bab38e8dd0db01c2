/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.quarkiverse.operatorsdk.runtime.api.ConfigurableReconciler;

/**
 * Hears of ConfigMaps that hold a dump or a part of one.
 *
 * <p>An upload is many ConfigMaps, and sources are files too, so that the reading is done by one thread for all of them; see
 * {@link SourceLoop}.
 */
@ControllerConfiguration(
        name = "topology-source",
        informer = @Informer(labelSelector = FabricApi.LABEL_TOPOLOGY),
        generationAwareEventProcessing = false)
public class TopologySourceReconciler implements ConfigurableReconciler<ConfigMap> {
    private final FactStores stores;
    private final Settings settings;
    private final SourceLoop loop;

    TopologySourceReconciler(FactStores stores, Settings settings, SourceLoop loop) {
        this.stores = stores;
        this.settings = settings;
        this.loop = loop;
    }

    @Override
    public void updateConfigurationFrom(ControllerConfigurationOverrider<ConfigMap> configuration) {
        configuration
                .settingNamespace(settings.namespace())
                .withItemStore(stores.uploads())
                .withInformerListLimit(Informers.LIST_LIMIT)
                .withRetry(Retries.forever());
    }

    @Override
    public UpdateControl<ConfigMap> reconcile(ConfigMap part, Context<ConfigMap> context) {
        loop.wake();
        return UpdateControl.noUpdate();
    }
}
