/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.OperatorSettings;
import dev.fabricoperator.operator.Settings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real sockets; strangers come from other addresses of the loopback interface. */
@Timeout(300)
class HealthListenerTest {
    private static final String KUBELET = "127.0.0.1";

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Socket> opened = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // every test listens first
    private HealthListener listener;

    /** With 32 connections, 8 of one address. */
    private void listen(Duration idle) throws IOException {
        Settings settings = OperatorSettings.with("health.connections-per-address", "8");
        listener = new HealthListener(vertx, meters, settings, KUBELET, 0, 32, idle);
        listener.start(request -> request.response().end("well"));
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : opened) {
            socket.close();
        }
        listener.stop();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private Socket connect(String from) throws IOException {
        Socket socket = new Socket();
        opened.add(socket);
        socket.setSoTimeout(60_000);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(new InetSocketAddress(KUBELET, listener.port()));
        return socket;
    }

    private String probe() throws IOException {
        try (Socket socket = connect(KUBELET)) {
            socket.getOutputStream()
                    .write("GET /q/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Connections for which there was no place, or that made place for a newer one. */
    private double refusedAsFull() {
        return Stream.of("address_full", "displaced")
                .mapToDouble(reason -> meters.get("fabric_operator_listener_refused")
                        .tag("listener", "health")
                        .tag("reason", reason)
                        .counter()
                        .count())
                .sum();
    }

    private static boolean endsByItself(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            // Reset.
            return true;
        }
    }

    @Test
    void oneClientTakesNoMoreConnectionsThanItsShareAndProbesGetIn() throws IOException, InterruptedException {
        listen(Duration.ofMinutes(5));
        for (int i = 0; i < 100; i++) {
            connect("127.0.0.2");
        }
        assertThat(probe()).startsWith("HTTP/1.1 200 ").endsWith("well");
        while (refusedAsFull() < 92) {
            Thread.sleep(10);
        }
        assertThat(refusedAsFull()).isEqualTo(92);
    }

    @Test
    void probesGetInWhenManyClientsHoldEveryConnection() throws IOException {
        listen(Duration.ofMinutes(5));
        for (int address = 2; address < 12; address++) {
            for (int i = 0; i < 8; i++) {
                connect("127.0.0." + address);
            }
        }
        for (int i = 0; i < 5; i++) {
            assertThat(probe()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void probesGetInWhenAProgramOfTheSameNodeHoldsItsWholeShare() throws IOException, InterruptedException {
        listen(Duration.ofMinutes(5));
        for (int i = 0; i < 8; i++) {
            connect(KUBELET);
        }
        // The server counts the time of grace from when it has taken up the connections.
        String answer = "";
        for (int attempt = 0; attempt < 30 && answer.isEmpty(); attempt++) {
            Thread.sleep(ConnectionLimits.GRACE.plusMillis(100));
            try {
                answer = probe();
            } catch (SocketException e) {
                // Refused still.
            }
        }
        assertThat(answer).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aSilentConnectionEnds() throws IOException {
        listen(Duration.ofMillis(200));
        assertThat(endsByItself(connect("127.0.0.2"))).isTrue();
    }
}
