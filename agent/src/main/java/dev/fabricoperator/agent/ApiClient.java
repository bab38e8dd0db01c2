/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.crds.ApiAnswers;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The four verbs that an agent needs of a Kubernetes API server: get, list, server-side apply, delete.
 *
 * <p>Retries what may pass (429, 5xx, lost connections, cut off answers, 401 once with a fresh token) with exponential
 * backoff and jitter, and waits as long as {@code Retry-After} says. All four verbs are idempotent. Blocking.
 *
 * @see "Kubernetes API concepts, server-side apply"
 */
final class ApiClient implements AutoCloseable {

    /** How often and how long to try; tests shorten it. */
    record Retry(int attempts, Duration first, Duration longest, Duration timeout) {
        static final Retry DEFAULT =
                new Retry(5, Duration.ofMillis(250), Duration.ofSeconds(10), Duration.ofSeconds(15));
    }

    private static final int PAGE = 500;

    private final String server;
    private final @Nullable Path tokenFile;
    private final @Nullable Path caFile;
    private final Retry retry;
    private @Nullable HttpClient http;
    private byte[] caBytes = {};

    /** One thread that ends when nothing is sent: the client's own pool keeps more, for a minute. */
    private final ThreadPoolExecutor executor =
            new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "http");
                thread.setDaemon(true);
                return thread;
            });

    ApiClient(URI server, @Nullable Path tokenFile, @Nullable Path caFile, Retry retry) {
        this.server = server.toString().replaceAll("/+$", "");
        this.tokenFile = tokenFile;
        this.caFile = caFile;
        this.retry = retry;
        executor.allowCoreThreadTimeOut(true);
    }

    /** The object, or null where the server says that there is none. */
    @Nullable
    Map<String, Object> get(String path) throws ApiException, InterruptedException {
        try {
            return send("GET", path, null);
        } catch (ApiException e) {
            if (e.isAbsence()) {
                return null;
            }
            throw e;
        }
    }

    /** Every object of a collection that a label selects, page by page. */
    List<Map<String, Object>> list(String path, String labelSelector) throws ApiException, InterruptedException {
        String query = path + "?limit=" + PAGE + "&labelSelector=" + encode(labelSelector);
        List<Map<String, Object>> items = new ArrayList<>();
        String next = "";
        do {
            Map<String, Object> page;
            try {
                page = send("GET", next.isEmpty() ? query : query + "&continue=" + encode(next), null);
            } catch (ApiException e) {
                if (e.status() != 410 || next.isEmpty()) {
                    throw e;
                }
                // The snapshot behind the pages is gone: begin again.
                items.clear();
                next = "";
                page = send("GET", query, null);
            }
            items.addAll(Json.objects(page, "items"));
            String token = Json.string(Json.member(page, "metadata"), "continue");
            next = token == null ? "" : token;
        } while (!next.isEmpty());
        return items;
    }

    /** Server-side apply: makes the fields of {@code object} be as given, and removes those that are no longer given. */
    Map<String, Object> apply(String path, String fieldManager, Map<String, Object> object)
            throws ApiException, InterruptedException {
        return send("PATCH", path + "?force=true&fieldManager=" + encode(fieldManager), Json.write(object));
    }

    /** Deletes an object; one that is not there is as good as deleted. */
    void delete(String path) throws ApiException, InterruptedException {
        try {
            send("DELETE", path, null);
        } catch (ApiException e) {
            if (!e.isAbsence()) {
                throw e;
            }
        }
    }

    private Map<String, Object> send(String method, String path, byte @Nullable [] body)
            throws ApiException, InterruptedException {
        Duration backoff = retry.first();
        for (int attempt = 1; ; attempt++) {
            Duration wait = backoff;
            ApiException failure;
            try {
                HttpResponse<byte[]> response = exchange(request(method, path, body));
                byte[] answer = response.body();
                int status = response.statusCode();
                if (status >= 200 && status < 300) {
                    return Json.readObject(answer);
                }
                failure = new ApiException(
                        status,
                        status == 404 && ApiAnswers.isAbsence(status, nameInStatus(answer)),
                        method + " " + path + ": " + message(status, answer),
                        null);
                wait = retryAfter(response, backoff);
                if (status != 401 && status != 408 && status != 429 && status < 500 || status == 401 && attempt > 1) {
                    throw failure;
                }
            } catch (IOException | GeneralSecurityException e) {
                String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
                failure = new ApiException(0, method + " " + path + ": " + reason, e);
            }
            if (attempt >= retry.attempts()) {
                throw failure;
            }
            // Ten thousand agents that lose one server must not come back all at once.
            Thread.sleep(wait.toMillis() / 2 + ThreadLocalRandom.current().nextLong(wait.toMillis() / 2 + 1));
            backoff = min(backoff.multipliedBy(2), retry.longest());
        }
    }

    private HttpRequest request(String method, String path, byte @Nullable [] body) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .header("Accept", "application/json")
                .header("User-Agent", "fabric-agent")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        if (body != null) {
            // JSON is YAML, and every version of the API server takes this type.
            request.header("Content-Type", "application/apply-patch+yaml");
        }
        if (tokenFile != null) {
            request.header(
                    "Authorization", "Bearer " + Files.readString(tokenFile).strip());
        }
        return request.build();
    }

    /** The whole answer within the time: the client's own limit ends with the answer's head. */
    private HttpResponse<byte[]> exchange(HttpRequest request)
            throws IOException, GeneralSecurityException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client().sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return answer.get(retry.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException("no answer within " + retry.timeout().toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            String reason = cause == null || cause.getMessage() == null ? "connection failed" : cause.getMessage();
            throw new IOException(reason, e);
        }
    }

    private static @Nullable String nameInStatus(byte[] answer) {
        try {
            return Json.string(Json.member(Json.readObject(answer), "details"), "name");
        } catch (IOException e) {
            // Of a path that nobody serves it is plain text.
            return null;
        }
    }

    private static String message(int status, byte[] answer) {
        try {
            String message = Json.string(Json.readObject(answer), "message");
            return message == null ? "HTTP " + status : "HTTP " + status + ": " + message;
        } catch (IOException e) {
            return "HTTP " + status;
        }
    }

    private Duration retryAfter(HttpResponse<?> response, Duration backoff) {
        String seconds = response.headers().firstValue("Retry-After").orElse("");
        if (!seconds.matches("[0-9]{1,4}")) {
            return backoff;
        }
        // Twice, since the jitter takes away up to half.
        Duration asked = Duration.ofSeconds(Long.parseLong(seconds)).multipliedBy(2);
        return min(asked.compareTo(backoff) > 0 ? asked : backoff, Duration.ofMinutes(2));
    }

    /** A client that trusts what the CA file holds now: a cluster may rotate its CA under a running agent. */
    private HttpClient client() throws IOException, GeneralSecurityException {
        byte[] ca = caFile == null ? new byte[0] : Files.readAllBytes(caFile);
        HttpClient current = http;
        if (current != null && java.util.Arrays.equals(ca, caBytes)) {
            return current;
        }
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(executor);
        if (caFile != null) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            builder.sslContext(trusting(ca)).sslParameters(parameters);
        }
        if (current != null) {
            current.close();
        }
        HttpClient fresh = builder.build();
        http = fresh;
        caBytes = ca;
        return fresh;
    }

    private static SSLContext trusting(byte[] pem) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int i = 0;
        for (Certificate certificate :
                CertificateFactory.getInstance("X.509").generateCertificates(new java.io.ByteArrayInputStream(pem))) {
            trusted.setCertificateEntry("ca" + i++, certificate);
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    @Override
    public void close() {
        HttpClient current = http;
        if (current != null) {
            current.shutdownNow();
        }
        executor.shutdownNow();
    }
}
