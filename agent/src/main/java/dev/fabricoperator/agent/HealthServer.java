/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * {@code /healthz} (the loop has turned lately), {@code /readyz} (the first complete look is published),
 * {@code /metrics}.
 */
final class HealthServer implements AutoCloseable {

    private final HttpServer server;

    /** @param port 0 for any free one */
    HealthServer(int port, BooleanSupplier alive, BooleanSupplier ready, AgentMetrics metrics) throws IOException {
        server = HttpServer.create(new InetSocketAddress(port), 8);
        server.createContext("/healthz", exchange -> check(exchange, alive, "the loop stands still"));
        server.createContext("/readyz", exchange -> check(exchange, ready, "the first complete look is not published"));
        server.createContext("/metrics", exchange -> answer(exchange, 200, metrics.text()));
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private static void check(HttpExchange exchange, BooleanSupplier condition, String reason) throws IOException {
        boolean good = condition.getAsBoolean();
        answer(exchange, good ? 200 : 503, good ? "ok\n" : reason + "\n");
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
