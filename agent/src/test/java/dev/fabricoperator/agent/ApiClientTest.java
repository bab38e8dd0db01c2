/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of HTTP that a healthy API server does not show; everything else is tested against a real one. */
class ApiClientTest {

    private interface Answer {
        void send(HttpExchange exchange) throws IOException;
    }

    /** No test waits for the time-out: an answer that is late on a busy machine must not be asked for again. */
    private static final ApiClient.Retry RETRY =
            new ApiClient.Retry(4, Duration.ofMillis(2), Duration.ofMillis(8), Duration.ofSeconds(60));

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @SuppressWarnings("NullAway.Init")
    private ApiClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            Answer next = answers.poll();
            (next == null ? status(200, "{}") : next).send(exchange);
        });
        server.start();
        Files.writeString(directory.resolve("token"), "first\n");
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        client = new ApiClient(uri, directory.resolve("token"), null, RETRY);
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private static Answer status(int status, String body, String... headers) {
        return exchange -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        };
    }

    /** Announces more than it sends. */
    private static Answer torn() {
        return exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write("{\"metadata\":".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            exchange.close();
        };
    }

    @Test
    void whatMayPassIsTriedAgain() throws Exception {
        answers.add(status(500, "{\"message\":\"etcdserver: leader changed\"}"));
        answers.add(status(429, "", "Retry-After", "0"));
        answers.add(torn());
        answers.add(status(200, "{\"kind\":\"Node\"}"));
        assertThat(client.get("/api/v1/nodes/n")).isEqualTo(Map.of("kind", "Node"));
        assertThat(requests).hasSize(4);
    }

    @Test
    void answersThatAreNoObjectOrCutOffAreTriedAgainAndThenReported() {
        for (String body : List.of("<html>", "[1]", "{\"a\":[1,2", "")) {
            answers.add(status(200, body));
        }
        assertThatThrownBy(() -> client.get("/x"))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.status()).isZero());
    }

    @Test
    void refusalsAreReportedAtOnceWithTheServersReason() {
        answers.add(status(422, "{\"kind\":\"Status\",\"message\":\"spec.port: Invalid value\"}"));
        assertThatThrownBy(() -> client.apply("/x", "fabric-agent", Map.of("kind", "FabricDevice")))
                .hasMessageContaining("spec.port: Invalid value")
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.isRefusal()).isTrue());
        assertThat(requests).hasSize(1);
    }

    @Test
    void theTokenIsReadAgainWhenTheServerDoesNotKnowIt() throws Exception {
        answers.add(exchange -> {
            Files.writeString(directory.resolve("token"), "second\n");
            status(401, "{}").send(exchange);
        });
        client.get("/x");
        assertThat(requests)
                .extracting(r -> r.substring(r.lastIndexOf(' ') + 1))
                .containsExactly("first", "second");
    }

    @Test
    void aTokenThatIsRefusedTwiceIsReported() {
        answers.add(status(401, "{}"));
        answers.add(status(401, "{}"));
        assertThatThrownBy(() -> client.get("/x")).hasMessageContaining("401");
    }

    @Test
    void absentObjectsAreNullAndDeletingThemSucceeds() throws Exception {
        String notFound =
                "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{\"name\":\"x\",\"kind\":\"fabricdevices\"}}";
        answers.add(status(404, notFound));
        answers.add(status(404, notFound));
        assertThat(client.get("/x")).isNull();
        client.delete("/x");
        assertThat(requests).hasSize(2);
    }

    /** The words of a kube-apiserver while it does not serve the version. */
    @Test
    void ofAKindThatIsNotServedNoObjectIsAbsent() {
        answers.add(status(404, "404 page not found\n"));
        answers.add(status(404, "404 page not found\n"));
        assertThatThrownBy(() -> client.get("/x")).isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> client.delete("/x")).isInstanceOf(ApiException.class);
    }

    @Test
    void pagesAreFollowedAndBegunAgainWhenTheirSnapshotIsGone() throws Exception {
        answers.add(status(200, "{\"metadata\":{\"continue\":\"c 1\"},\"items\":[{\"n\":1}]}"));
        answers.add(status(410, "{\"reason\":\"Expired\"}"));
        answers.add(status(200, "{\"metadata\":{\"continue\":\"c2\"},\"items\":[{\"n\":1}]}"));
        answers.add(status(200, "{\"metadata\":{},\"items\":[{\"n\":2}]}"));
        assertThat(client.list("/devices", "k=v")).containsExactly(Map.of("n", 1L), Map.of("n", 2L));
        assertThat(requests.get(1)).contains("continue=c+1");
    }

    @Test
    void aServerThatIsAwayIsReportedWithoutAStatus() {
        server.stop(0);
        assertThatThrownBy(() -> client.get("/x"))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.isRefusal()).isFalse());
    }
}
