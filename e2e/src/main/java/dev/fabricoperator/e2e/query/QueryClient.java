/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A client of the query API, or of an API server in front of it, that trusts one authority and has a token or none. */
public final class QueryClient implements AutoCloseable {
    /** Where the fabrics are, on every server. */
    public static final String FABRICS = "/apis/query.fabric-operator.dev/v1alpha1/fabrics/";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final URI server;
    private final @Nullable String token;
    private final HttpClient http;

    public QueryClient(URI server, String authorityPem, @Nullable String token) {
        this(server, trusting(authorityPem), token);
    }

    /** With a TLS set-up of the caller's. */
    public QueryClient(URI server, SSLContext tls, @Nullable String token) {
        this.server = server;
        this.token = token;
        this.http = HttpClient.newBuilder()
                .sslContext(tls)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(PATIENCE)
                .build();
    }

    /** @param headers names and values in turn */
    public HttpResponse<byte[]> get(String path, String... headers) {
        return send(path, HttpResponse.BodyHandlers.ofByteArray(), headers);
    }

    /** The body as it comes. */
    public HttpResponse<InputStream> open(String path, String... headers) {
        return send(path, HttpResponse.BodyHandlers.ofInputStream(), headers);
    }

    /** The body of an answer that is JSON, whatever its code. */
    public JsonNode json(String path, String... headers) {
        return parse(get(path, headers));
    }

    /** As {@link #json}, for an answer that is there. */
    public static JsonNode parse(HttpResponse<byte[]> response) {
        try {
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    response.statusCode() + " with no JSON: " + new String(response.body(), StandardCharsets.UTF_8), e);
        }
    }

    private <T> HttpResponse<T> send(String path, HttpResponse.BodyHandler<T> body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.resolve(path)).timeout(PATIENCE);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** That trusts one authority. */
    public static SSLContext trusting(String authorityPem) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry(
                    "authority",
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(
                                    new ByteArrayInputStream(authorityPem.getBytes(StandardCharsets.US_ASCII))));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("no certificate of an authority", e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
