/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** An HTTP server that stands for the API server: it answers each question with an object, or with 404, and keeps the questions. */
final class ApiServer implements AutoCloseable {
    private final HttpServer server;
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final KubernetesClient client;

    /** @param answers by path and query as a person writes them; empty for 404 */
    ApiServer(Function<String, String> answers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, answers));
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/")
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    private void answer(HttpExchange exchange, Function<String, String> answers) throws IOException {
        try (exchange) {
            String question = URLDecoder.decode(exchange.getRequestURI().toString(), StandardCharsets.UTF_8);
            asked.add(question);
            byte[] answer = answers.apply(question).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.length == 0 ? 404 : 200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    KubernetesClient client() {
        return client;
    }

    /** Path and query of each question, as a person writes them. */
    List<String> asked() {
        return asked;
    }

    @Override
    public void close() {
        client.close();
        server.stop(0);
    }
}
