/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * An HTTPS server on the loopback that plays back what a UFM appliance said, or misbehaves. A real UFM cannot be here: it is
 * licensed, and needs an InfiniBand fabric below it.
 */
final class PlayedAppliance implements AutoCloseable {
    static final String TOKEN = "0123456789abcdef";

    private final HttpsServer server;
    private final String authority;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<String, Play> plays = new ConcurrentHashMap<>();

    /** What a request is answered. */
    @FunctionalInterface
    interface Play {
        void answer(HttpExchange exchange) throws IOException;
    }

    private PlayedAppliance(HttpsServer server, String authority) {
        this.server = server;
        this.authority = authority;
    }

    /** With a certificate of the cluster's authority for 127.0.0.1. */
    static PlayedAppliance start(ControlPlane cluster, Path directory) throws IOException, GeneralSecurityException {
        Path tls = directory.resolve("appliance");
        cluster.writeServingCertificate(tls, List.of("127.0.0.1"));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                SSLUtils.keyManagers(
                        null,
                        tls.resolve("tls.crt").toString(),
                        null,
                        tls.resolve("tls.key").toString(),
                        "RSA",
                        "",
                        null,
                        null),
                null,
                null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        PlayedAppliance appliance = new PlayedAppliance(server, cluster.authorityPem());
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", appliance::handle);
        server.start();
        return appliance;
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    Secret secret(String name) {
        return secret(name, "127.0.0.1:" + server.getAddress().getPort());
    }

    /** @param host that the Secret's content may be sent to */
    Secret secret(String name, String host) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(OperatorProcess.NAMESPACE)
                .addToLabels(FabricApi.LABEL_CREDENTIALS, "ufm")
                .addToAnnotations(FabricApi.ANNOTATION_HOST, host)
                .endMetadata()
                .addToStringData("token", TOKEN)
                .addToStringData("ca.crt", authority)
                .build();
    }

    /** From now on {@code systems}, {@code ports} or {@code links} is answered so. */
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

    /** Requests so far. */
    int requests() {
        return requests.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        String resource = exchange.getRequestURI().getPath().replaceFirst("^/ufmRestV3/resources/", "");
        Play play = plays.get(resource);
        if (!("Basic " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            answer(exchange, 401, "text/html", "");
        } else if (play == null) {
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
