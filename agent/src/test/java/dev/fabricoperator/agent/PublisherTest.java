/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A label of the Node that blinks; what is published is tested against a real API server. */
class PublisherTest {
    private static final String NODE = "{\"metadata\": {\"uid\": \"u\", \"labels\": {%s}}}";
    private static final String CLIQUE = "\"nvidia.com/gpu.clique\": \"domain.0\"";
    private static final String DEVICE =
            "{\"metadata\": {\"name\": \"n1-gpu\"}, \"spec\": {\"nodeName\": \"n1\", \"family\": \"%s\"}}";

    private volatile String labels = CLIQUE;
    private volatile String family = "NVLink";

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @SuppressWarnings("NullAway.Init")
    private ApiClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            String device = DEVICE.formatted(family);
            String answer = path.endsWith("/nodes/n1")
                    ? NODE.formatted(labels)
                    : path.endsWith("/fabricdevices") ? "{\"items\": [" + device + "]}" : device;
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        client = new ApiClient(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                null,
                null,
                new ApiClient.Retry(4, Duration.ofMillis(2), Duration.ofMillis(8), Duration.ofSeconds(60)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private Publisher publisher() {
        return new Publisher(client, "n1", new AgentMetrics());
    }

    @Test
    void publishedAcceleratorsStayUntilTheLabelOfTheirCliqueIsMissingTwiceInARow() throws Exception {
        Publisher publisher = publisher();
        publisher.resync();
        assertThat(publisher.isInClique()).isTrue();
        for (int blink = 0; blink < 3; blink++) {
            labels = "";
            publisher.resync();
            assertThat(publisher.isInClique()).isTrue();
            labels = CLIQUE;
            publisher.resync();
            assertThat(publisher.isInClique()).isTrue();
        }
        labels = "";
        publisher.resync();
        assertThat(publisher.isInClique()).isTrue();
        publisher.resync();
        assertThat(publisher.isInClique()).isFalse();
        publisher.resync();
        assertThat(publisher.isInClique()).isFalse();
        labels = CLIQUE;
        publisher.resync();
        assertThat(publisher.isInClique()).isTrue();
    }

    @Test
    void anAgentThatStartsWhileTheLabelIsMissingKeepsWhatAnEarlierOneHasPublished() throws Exception {
        labels = "";
        Publisher publisher = publisher();
        publisher.resync();
        assertThat(publisher.isInClique()).isTrue();
        publisher.resync();
        assertThat(publisher.isInClique()).isFalse();
    }

    @Test
    void aNodeWithoutPublishedAcceleratorsIsInNoCliqueWithoutALabel() throws Exception {
        labels = "";
        family = "InfiniBand";
        Publisher publisher = publisher();
        publisher.resync();
        assertThat(publisher.isInClique()).isFalse();
    }
}
