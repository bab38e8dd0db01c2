/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code kube-system/extension-apiserver-authentication}, in which the API server says whose certificates clients and front proxies have. */
public final class AuthenticationConfigMap {
    private AuthenticationConfigMap() {}

    /**
     * Its data, empty where there is none; asks the API server.
     *
     * @return {@code null} where the server may not read it: config/query-apiservice and config/extender give the right, and nobody else needs it
     */
    public static @Nullable Map<String, String> read(KubernetesClient client) {
        ConfigMap map;
        try {
            map = client.configMaps()
                    .inNamespace("kube-system")
                    .withName("extension-apiserver-authentication")
                    .get();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                return null;
            }
            throw e;
        }
        return map == null || map.getData() == null ? Map.of() : map.getData();
    }
}
