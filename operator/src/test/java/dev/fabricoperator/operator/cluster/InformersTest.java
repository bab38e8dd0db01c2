/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InformersTest {
    /** 500 pods of 1.4 MB are more than the server's heap. */
    @Test
    void objectsOfTenantsAreListedInPagesThatFitIntoMemoryWhateverTheirSize() throws Exception {
        BlockingQueue<String> queries = new LinkedBlockingQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            queries.add(String.valueOf(exchange.getRequestURI().getQuery()));
            byte[] empty = "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"metadata\": {}, \"items\": []}"
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, empty.length);
            exchange.getResponseBody().write(empty);
            exchange.close();
        });
        server.start();
        Informers informers = new Informers(new SimpleMeterRegistry());
        try (KubernetesClient client = TestApiServer.client(server)) {
            informers.startOfTenants(
                    client.pods().inAnyNamespace(), new BasicItemStore<Pod>(Cache::metaNamespaceKeyFunc));

            assertThat(queries.poll(60, TimeUnit.SECONDS)).contains("limit=20");
            informers.stop();
        } finally {
            server.stop(0);
        }
    }
}
