/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.junit.jupiter.api.Test;

class ControllerReadinessTest {
    private final Informers informers = new Informers(new SimpleMeterRegistry());

    private HealthCheckResponse readiness(boolean leading, Map<String, Map<String, String>> unhealthy) {
        return new ControllerReadiness(false, () -> leading, () -> unhealthy, informers).call();
    }

    @Test
    void aLeaderThatHearsOfEveryChangeIsReady() {
        assertThat(readiness(true, Map.of()).getStatus()).isEqualTo(HealthCheckResponse.Status.UP);
    }

    @Test
    void aControllerThatTheApiServerHasNotAnsweredYetIsNotReadyAndSaysSo() {
        ControllerReadiness readiness = new ControllerReadiness(true, () -> false, Map::of, informers);
        HealthCheckResponse response = readiness.call();
        assertThat(response.getStatus()).isEqualTo(HealthCheckResponse.Status.DOWN);
        assertThat(response.getData().orElseThrow()).containsEntry("silent", "API server");
        readiness.started();
        assertThat(readiness.call().getStatus()).isEqualTo(HealthCheckResponse.Status.UP);
    }

    @Test
    void aStandbyWatchesNothingAndIsReady() {
        assertThat(new ControllerReadiness(
                                false,
                                () -> false,
                                () -> {
                                    throw new AssertionError("a standby's event sources are not started");
                                },
                                informers)
                        .call()
                        .getStatus())
                .isEqualTo(HealthCheckResponse.Status.UP);
    }

    @Test
    void aLeaderWhoseEventSourceIsUnhealthyIsNotReadyAndNamesIt() {
        HealthCheckResponse response = readiness(true, Map.of("fabric", Map.of("informer", "away")));
        assertThat(response.getStatus()).isEqualTo(HealthCheckResponse.Status.DOWN);
        assertThat(response.getData().orElseThrow()).containsEntry("silent", "fabric/informer");
    }

    @Test
    void aLeaderWhoseWatchIsBrokenIsNotReadyAndNamesIt() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean watch = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
            byte[] answer =
                    "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(watch ? 500 : 200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try (KubernetesClient client = client(server)) {
            informers.make(client.nodes()).start();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (informers.notWatching().isEmpty() && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            HealthCheckResponse response = readiness(true, Map.of());
            assertThat(response.getStatus()).isEqualTo(HealthCheckResponse.Status.DOWN);
            assertThat(response.getData().orElseThrow()).containsEntry("silent", "Node");
        } finally {
            server.stop(0);
        }
    }

    private static KubernetesClient client(HttpServer server) {
        return TestApiServer.client(server);
    }
}
