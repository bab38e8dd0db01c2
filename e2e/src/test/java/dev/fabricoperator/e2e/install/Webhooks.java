/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.e2e.cluster.Cluster;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The webhooks of a release without its controller. */
final class Webhooks {
    private final Cluster cluster;

    Webhooks(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Tells the API server whom to trust, as the controller does. */
    void trust() {
        String bundle =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.UTF_8));
        for (MutatingWebhookConfiguration configuration : configurations()) {
            var wanted = new MutatingWebhookConfigurationBuilder()
                    .withNewMetadata()
                    .withName(configuration.getMetadata().getName())
                    .endMetadata();
            for (MutatingWebhook webhook : configuration.getWebhooks()) {
                wanted.addNewWebhook()
                        .withName(webhook.getName())
                        .withNewClientConfig()
                        .withCaBundle(bundle)
                        .endClientConfig()
                        .endWebhook();
            }
            cluster.admin()
                    .resource(wanted.build())
                    .patch(ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER + "-certificates"));
        }
    }

    /** What each is trusted by, {@code ""} for none, by {@code configuration/webhook}; each is whole. */
    Map<String, String> trusted() {
        Map<String, String> trusted = new TreeMap<>();
        for (MutatingWebhookConfiguration configuration : configurations()) {
            for (MutatingWebhook webhook : configuration.getWebhooks()) {
                assertThat(webhook.getRules()).isNotEmpty();
                trusted.put(
                        configuration.getMetadata().getName() + "/" + webhook.getName(),
                        Objects.requireNonNullElse(webhook.getClientConfig().getCaBundle(), ""));
            }
        }
        return trusted;
    }

    private List<MutatingWebhookConfiguration> configurations() {
        return cluster.admin()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withLabel("app.kubernetes.io/part-of", "fabric-operator")
                .list()
                .getItems();
    }
}
