/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.TestApiServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {
    private HttpServer server;
    private int answer;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(answer, -1);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private KubernetesClientException failure() {
        try (KubernetesClient client = TestApiServer.client(server)) {
            return catchThrowableOfType(
                    KubernetesClientException.class,
                    () -> client.nodes().withName("n1").delete());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, false",
        "401, false",
        "403, false",
        "405, false",
        "409, true",
        "422, false",
        "429, true",
        "500, true",
        "503, true"
    })
    void whatTheApiServerRefusesOfItselfDoesNotPass(int code, boolean passes) {
        answer = code;
        assertThat(Failures.pass(failure())).isEqualTo(passes);
        assertThat(Failures.isUnanswered(failure())).isFalse();
    }

    @Test
    void anApiServerThatIsAwayPasses() {
        server.stop(0);
        assertThat(Failures.pass(failure())).isTrue();
        assertThat(Failures.isUnanswered(failure())).isTrue();
    }

    @Test
    void aRequestThatIsGivenUpIsNotRefused() {
        answer = 200;
        Thread.currentThread().interrupt();
        KubernetesClientException failure = failure();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Failures.isUnanswered(failure)).isTrue();
    }
}
