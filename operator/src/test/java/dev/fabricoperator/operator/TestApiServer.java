/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.charset.StandardCharsets;

/** An HTTP server of a test that stands for the API server. */
public final class TestApiServer {
    private TestApiServer() {}

    /** The body of a 404 by which an API server says that there is no object of that name. */
    public static byte[] notFound(String name) {
        return ("{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{\"name\":\"" + name + "\"},\"code\":404}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Tries nothing twice. */
    public static KubernetesClient client(HttpServer server) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/")
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }
}
