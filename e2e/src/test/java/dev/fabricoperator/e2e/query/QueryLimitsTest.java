/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.TrustingAnybody;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What clients that mean no good, or know no better, can take; the server has made its own certificate. */
@WithControlPlane(own = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueryLimitsTest {
    private static final int CONNECTIONS = 40;

    @TempDir
    static Path directory;

    private QueryCase cluster;
    private OperatorProcess server;
    private QueryClient viewer;
    private SSLContext tls;
    private String token;

    @BeforeAll
    void start(ControlPlane controlPlane) throws GeneralSecurityException {
        tls = TrustingAnybody.context();
        cluster = new QueryCase(controlPlane, directory);
        server = cluster.startServer(Map.of(
                "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                directory.resolve("none").toString(),
                "FABRIC_OPERATOR_QUERY_LISTENER_CONNECTIONS",
                Integer.toString(CONNECTIONS),
                "FABRIC_OPERATOR_QUERY_LIMITS_WATCHES_PER_USER",
                "2"));
        token = cluster.users.viewer("viewer");
        viewer = new QueryClient(server.query(), tls, token);
        cluster.awaitServed(viewer);
    }

    @AfterEach
    void stillAnswers() {
        eventually(() -> assertThat(viewer.get(QueryCase.path("cost?row=0")).statusCode())
                .isEqualTo(200));
        assertThat(server.isAlive()).isTrue();
    }

    @AfterAll
    void stop() throws Exception {
        viewer.close();
        cluster.close();
    }

    @Test
    void aCertificateThatTheServerMadeItselfNamesItsService()
            throws IOException, java.security.cert.CertificateException {
        try (SSLSocket socket = connect()) {
            socket.startHandshake();
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            assertThat(shown.getSubjectAlternativeNames().toString())
                    .contains("fabric-operator-query.fabric-operator.svc");
            shown.checkValidity();
        }
    }

    @Test
    void questionsThatAskForTooMuchAreRefusedBeforeAnythingIsMade() {
        assertThat(viewer.get(QueryCase.path("cost?rows=0-999999999")).statusCode())
                .isEqualTo(400);
        String many = "0-7,".repeat(1_100) + "0";
        assertThat(viewer.get(QueryCase.path("cost?rows=" + many)).statusCode()).isEqualTo(413);
        assertThat(viewer.get(QueryCase.path("cost?row=0&x=" + "y".repeat(20_000)))
                        .statusCode())
                .isEqualTo(414);
        assertThat(viewer.get(QueryCase.path("cost"), "X-Long", "y".repeat(80_000))
                        .statusCode())
                .isEqualTo(431);
        assertThat(viewer.get(QueryClient.FABRICS + "x".repeat(300) + "/cost").statusCode())
                .isEqualTo(404);
    }

    @Test
    void onlyQuestionsWithoutABodyAreTaken() throws IOException {
        assertThat(answerTo("POST /apis HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"))
                .contains(" 405 ");
        assertThat(answerTo("GET /apis HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n"))
                .contains(" 413 ");
        assertThat(answerTo("GET /apis HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"))
                .contains(" 413 ");
        assertThat(answerTo("nonsense\r\n\r\n")).contains(" 400 ");
    }

    @Test
    void whoFillsThePortOfHealthTakesItsShareAndKeepsNoProbeOut() throws IOException {
        int share = 256;
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 4096 + 100; i++) {
                Socket socket = new Socket();
                socket.bind(new InetSocketAddress("127.0.0.2", 0));
                socket.connect(new InetSocketAddress(
                        server.health().getHost(), server.health().getPort()));
                socket.setSoTimeout(1);
                silent.add(socket);
                if (i % 512 == 0) {
                    assertThat(server.isReady()).isTrue();
                }
            }
            assertThat(server.isReady()).isTrue();
            eventually(() -> assertThat(closed(silent)).isGreaterThanOrEqualTo(silent.size() - share));
            eventually(() -> assertThat(closed(silent)).isEqualTo(silent.size()));
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    private static long closed(List<Socket> sockets) {
        return sockets.stream()
                .filter(socket -> {
                    try {
                        return socket.getInputStream().read() < 0;
                    } catch (SocketTimeoutException e) {
                        return false;
                    } catch (IOException e) {
                        return true;
                    }
                })
                .count();
    }

    @Test
    void tokensThatAreNoneDisplaceNobody() {
        for (int i = 0; i < 100; i++) {
            try (QueryClient guesser = new QueryClient(server.query(), tls, "guess." + UUID.randomUUID())) {
                assertThat(guesser.get(QueryCase.path("cost")).statusCode()).isEqualTo(401);
            }
        }
        try (QueryClient guesser = new QueryClient(server.query(), tls, "x".repeat(30_000))) {
            assertThat(guesser.get(QueryCase.path("cost")).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void whoSendsARequestByteByByteIsCutOff() throws IOException, InterruptedException {
        try (SSLSocket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /apis HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            boolean open = true;
            for (int i = 0; open && i < 1000; i++) {
                Thread.sleep(200);
                try {
                    out.write('y');
                    out.flush();
                } catch (IOException e) {
                    open = false;
                }
            }
            assertThat(open).isFalse();
        }
    }

    @Test
    void ofMoreConnectionsThanThereMayBeSomeAreClosed() throws IOException {
        List<SSLSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS + 10; i++) {
                SSLSocket socket = connect();
                sockets.add(socket);
                socket.setSoTimeout(20);
                handshake(socket);
            }
            // Those that came too late, or those that they have displaced.
            eventually(() -> assertThat(sockets.stream()
                            .filter(QueryLimitsTest::isClosedByTheServer)
                            .count())
                    .isGreaterThanOrEqualTo(10));
        } finally {
            for (SSLSocket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aUserHasOnlySoManyStreams() throws IOException {
        String watch = QueryCase.path("watch?watch=true");
        try (InputStream one = viewer.open(watch).body();
                InputStream two = viewer.open(watch).body()) {
            assertThat(one.read()).isEqualTo('{');
            assertThat(two.read()).isEqualTo('{');
            HttpResponse<byte[]> third = viewer.get(watch);
            JsonNode status = QueryClient.parse(third);
            assertThat(third.statusCode()).isEqualTo(429);
            assertThat(third.headers().firstValue("Retry-After")).isPresent();
            assertThat(status.path("reason").asText()).isEqualTo("TooManyRequests");
        }
        eventually(() -> {
            try (InputStream again = viewer.open(watch).body()) {
                assertThat(new String(again.readNBytes(15), StandardCharsets.UTF_8))
                        .startsWith("{\"type\":\"ADDED\"");
            }
        });
    }

    /** What is closed meanwhile shows when it is read. */
    private static void handshake(SSLSocket socket) {
        try {
            socket.startHandshake();
        } catch (IOException e) {
            // Closed by the server, before or after its last message of the handshake: isClosedByTheServer counts it.
            return;
        }
    }

    private static boolean isClosedByTheServer(SSLSocket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            // It is open, and the server waits for a request.
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private SSLSocket connect() throws IOException {
        return (SSLSocket) tls.getSocketFactory()
                .createSocket(server.query().getHost(), server.query().getPort());
    }

    private String answerTo(String request) throws IOException {
        try (SSLSocket socket = connect()) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(64), StandardCharsets.US_ASCII);
        }
    }
}
