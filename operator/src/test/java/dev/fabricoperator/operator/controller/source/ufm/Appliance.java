/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.fabricoperator.operator.server.http.TestAuthority;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.bouncycastle.asn1.x509.KeyPurposeId;

/**
 * An HTTPS server that plays back what a UFM appliance said, or misbehaves. A real UFM cannot be here: it is licensed, and
 * needs an InfiniBand fabric below it.
 */
final class Appliance implements AutoCloseable {
    private static final Duration DAY = Duration.ofDays(1);
    private static final char[] NO_PASSWORD = {};

    private final HttpsServer server;
    /** Of the authority that has signed the appliance's own. */
    private final String certificate;

    private final Map<String, Play> plays = new HashMap<>();
    final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    final List<String> authorizations = Collections.synchronizedList(new ArrayList<>());

    /** What one resource answers. */
    @FunctionalInterface
    interface Play {
        void answer(HttpExchange exchange) throws IOException;
    }

    private Appliance(HttpsServer server, String certificate) {
        this.server = server;
        this.certificate = certificate;
    }

    /** Listens on the loopback. */
    static Appliance start() throws IOException, GeneralSecurityException {
        Instant now = Instant.now();
        TestAuthority authority = new TestAuthority("ufm-ca");
        TestAuthority.Identity identity =
                authority.issue("ufm", now.minus(DAY), now.plus(DAY), KeyPurposeId.id_kp_serverAuth);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("ufm", identity.key(), NO_PASSWORD, new Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, NO_PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        Appliance appliance =
                new Appliance(server, TestAuthority.pem(authority.certificate(now.minus(DAY), now.plus(DAY))));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", appliance::handle);
        server.start();
        for (String resource : List.of("systems", "ports", "links")) {
            appliance.play(resource, json("[]"));
        }
        return appliance;
    }

    URI uri() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    String certificate() {
        return certificate;
    }

    /** The data of a Secret for it, with more of your own. */
    Map<String, String> secret(String... more) {
        Map<String, String> secret = new HashMap<>();
        secret.put("ca.crt", base64(certificate));
        for (int i = 0; i < more.length; i += 2) {
            secret.put(more[i], base64(more[i + 1]));
        }
        return secret;
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    void play(String resource, Play play) {
        plays.put(resource, play);
    }

    static Play json(String text) {
        return exchange -> answer(exchange, 200, "application/json", text);
    }

    static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        requests.add(path);
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        String resource = exchange.getRequestURI().getPath().replaceFirst(".*/resources/", "");
        Play play = plays.get(resource);
        if (play == null) {
            answer(exchange, 404, "text/html", "<html>");
        } else {
            play.answer(exchange);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
