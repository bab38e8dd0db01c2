/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;

/** {@code kube-system/extension-apiserver-authentication}, in which the API server says whose certificates clients and front proxies have. */
public final class AuthenticationConfigMap {
    private AuthenticationConfigMap() {}

    /** Its data, empty where there is none; asks the API server. */
    public static Map<String, String> read(KubernetesClient client) {
        ConfigMap map = client.configMaps()
                .inNamespace("kube-system")
                .withName("extension-apiserver-authentication")
                .get();
        return map == null || map.getData() == null ? Map.of() : map.getData();
    }
}
