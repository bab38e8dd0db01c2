/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import dev.fabricoperator.operator.cluster.ServingSecret;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Tells the API server whom to trust when it calls the operator: {@code caBundle} of the webhooks and of the query API's APIService, by server-side
 * apply, and nothing else of these objects. One that is not there, or that cert-manager is asked to fill, is left alone.
 */
final class TrustWriter {
    private static final Logger LOG = Logger.getLogger(TrustWriter.class);
    /** Those of {@code config/webhook}, which the role {@code fabric-operator-trust} names too. */
    private static final List<String> WEBHOOKS =
            List.of("fabric-launch-bindings", "fabric-launch-pods", "fabric-launch-pods-require-pmix");

    private static final String API_SERVICE = "v1alpha1.query.fabric-operator.dev";
    private static final String CERT_MANAGER = "cert-manager.io/inject-";
    private static final ResourceDefinitionContext WEBHOOK_CONFIGURATIONS =
            context("admissionregistration.k8s.io", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations");
    private static final ResourceDefinitionContext API_SERVICES =
            context("apiregistration.k8s.io", "APIService", "apiservices");

    private final KubernetesClient client;
    private final PatchContext apply;
    private final String namespace;
    /** Since {@link #tell} last said so; it may throw in between. */
    private boolean learned;

    TrustWriter(KubernetesClient client, PatchContext apply, String namespace) {
        this.client = client;
        this.apply = apply;
        this.namespace = namespace;
    }

    /** Returns whether a webhook has learned something since this last returned. */
    boolean tell(String bundlePem) {
        String bundle = ServingSecret.encoded(bundlePem);
        for (String name : WEBHOOKS) {
            GenericKubernetesResource webhooks = find(WEBHOOK_CONFIGURATIONS, name);
            learned |= webhooks != null && tell(webhooks, bundle);
        }
        GenericKubernetesResource service = find(API_SERVICES, API_SERVICE);
        if (service != null) {
            Map<?, ?> spec = (Map<?, ?>) Objects.requireNonNullElse(service.get("spec"), Map.of());
            boolean unchecked = Boolean.TRUE.equals(spec.get("insecureSkipTLSVerify"));
            if (!unchecked && isOurs(spec) && !bundle.equals(spec.get("caBundle"))) {
                write(API_SERVICES, service, Map.of("spec", Map.of("caBundle", bundle)));
            }
        }
        boolean told = learned;
        learned = false;
        return told;
    }

    private boolean tell(GenericKubernetesResource webhooks, String bundle) {
        List<Object> wanted = new ArrayList<>();
        boolean differs = false;
        for (Object webhook : list(webhooks.get("webhooks"))) {
            Map<?, ?> fields = (Map<?, ?>) webhook;
            Map<?, ?> configuration = (Map<?, ?>) Objects.requireNonNullElse(fields.get("clientConfig"), Map.of());
            if (isOurs(configuration)) {
                differs |= !bundle.equals(configuration.get("caBundle"));
                wanted.add(
                        Map.of("name", String.valueOf(fields.get("name")), "clientConfig", Map.of("caBundle", bundle)));
            }
        }
        if (differs) {
            write(WEBHOOK_CONFIGURATIONS, webhooks, Map.of("webhooks", wanted));
        }
        return differs;
    }

    /** Whether it leads to a Service of this operator, and not to a URL or to another installation. */
    private boolean isOurs(Map<?, ?> configuration) {
        return configuration.get("service") instanceof Map<?, ?> service && namespace.equals(service.get("namespace"));
    }

    private @Nullable GenericKubernetesResource find(ResourceDefinitionContext kind, String name) {
        GenericKubernetesResource found;
        try {
            found = client.genericKubernetesResources(kind).withName(name).get();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                // The role fabric-operator-trust was left out: somebody else writes caBundle.
                LOG.debugf("%s %s is left to others", kind.getKind(), name);
                return null;
            }
            throw e;
        }
        Map<String, String> annotations =
                found == null ? null : found.getMetadata().getAnnotations();
        boolean others =
                annotations != null && annotations.keySet().stream().anyMatch(key -> key.startsWith(CERT_MANAGER));
        return others ? null : found;
    }

    private void write(ResourceDefinitionContext kind, GenericKubernetesResource object, Map<String, Object> fields) {
        GenericKubernetesResource wanted = new GenericKubernetesResource();
        wanted.setApiVersion(object.getApiVersion());
        wanted.setKind(object.getKind());
        wanted.setMetadata(new ObjectMetaBuilder()
                .withName(object.getMetadata().getName())
                // One that is deleted meanwhile must not come back as a torso.
                .withUid(object.getMetadata().getUid())
                .build());
        wanted.setAdditionalProperties(fields);
        try {
            client.genericKubernetesResources(kind).resource(wanted).patch(apply);
            LOG.infof(
                    "%s %s knows the authority",
                    object.getKind(), object.getMetadata().getName());
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    private static ResourceDefinitionContext context(String group, String kind, String plural) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(group)
                .withVersion("v1")
                .withKind(kind)
                .withPlural(plural)
                .withNamespaced(false)
                .build();
    }
}
