/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;

/** Tokens of service accounts as the API server issues them, valid for two hours. */
public final class ServiceAccountTokens {
    private static final long VALID_SECONDS = 7200;

    private ServiceAccountTokens() {}

    /** @param audiences the API server's own where there is none */
    public static String ofAccount(KubernetesClient admin, String namespace, String account, String... audiences) {
        return issue(
                admin,
                namespace,
                account,
                new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences(audiences)
                        .withExpirationSeconds(VALID_SECONDS)
                        .endSpec()
                        .build());
    }

    /**
     * As the kubelet projects it into the pod: bound to it, with the pod's node among its claims, and worth nothing once the pod is
     * gone.
     *
     * @param audiences the API server's own where there is none
     */
    public static String ofPod(KubernetesClient admin, Pod pod, String... audiences) {
        String account = Objects.requireNonNullElse(pod.getSpec().getServiceAccountName(), "default");
        return issue(admin, pod.getMetadata().getNamespace(), account, boundTo(pod, VALID_SECONDS, audiences));
    }

    /** The request for a token that is bound to the pod. */
    public static TokenRequest boundTo(Pod pod, long validSeconds, String... audiences) {
        return new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(audiences)
                .withExpirationSeconds(validSeconds)
                .withNewBoundObjectRef()
                .withApiVersion("v1")
                .withKind("Pod")
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endBoundObjectRef()
                .endSpec()
                .build();
    }

    private static String issue(KubernetesClient admin, String namespace, String account, TokenRequest request) {
        return admin.serviceAccounts()
                .inNamespace(namespace)
                .withName(account)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }
}
