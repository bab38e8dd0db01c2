/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.PodReportCodec;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the pmixd of one pod says to the job service. Follows a redirection as pmixd does: same method, same body, same token. */
public final class PodSide {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MOST_REDIRECTIONS = 4;
    private static final int LATER_MILLISECONDS = 200;

    private final HttpClient http;
    private final URI service;
    private final @Nullable String token;

    /** @param http trusts the service's certificate; many pods may share one */
    public PodSide(HttpClient http, URI service, @Nullable String token) {
        this.http = http;
        this.service = service;
        this.token = token;
    }

    /** One question, as it is answered after redirections. */
    public CompletableFuture<HttpResponse<byte[]>> join(PodReport report) {
        String reads = report.mapVersion() == JobMapCodec.VERSION_OF_SILENT ? "" : "?reads=" + report.mapVersion();
        return send(service.resolve("/v1/join" + reads), "POST", PodReportCodec.encode(report), 0);
    }

    public CompletableFuture<HttpResponse<byte[]>> join(byte[] body) {
        return send(service.resolve("/v1/join"), "POST", body, 0);
    }

    /** Asks until there is an answer other than "not yet", "another attempt goes on" and "later": as every pod does, and each of these comes where nothing is refused. */
    public CompletableFuture<HttpResponse<byte[]>> joinUntilAnswered(PodReport report) {
        return join(report).thenCompose(answer -> {
            if (answer.statusCode() == 204 || answer.statusCode() == 202) {
                return joinUntilAnswered(report);
            }
            return answer.statusCode() == 503
                    ? CompletableFuture.supplyAsync(
                                    () -> joinUntilAnswered(report),
                                    CompletableFuture.delayedExecutor(LATER_MILLISECONDS, TimeUnit.MILLISECONDS))
                            .thenCompose(Function.identity())
                    : CompletableFuture.completedFuture(answer);
        });
    }

    public CompletableFuture<HttpResponse<byte[]>> watch(int attempt) {
        return send(service.resolve("/v1/watch?attempt=" + attempt), "GET", new byte[0], 0);
    }

    /** One question for news of the fabric beyond a generation. */
    public CompletableFuture<HttpResponse<byte[]>> watchFabric(int attempt, long generation, boolean pending) {
        String path = "/v1/watch?attempt=" + attempt + "&fabric=" + generation + (pending ? "&pending=true" : "");
        return send(service.resolve(path), "GET", new byte[0], 0);
    }

    /** One question for news of impaired links, as a pod asks that knows the generation. */
    public CompletableFuture<JobFabricUpdate> awaitImpaired(
            int attempt, long generation, JobFabricUpdate.Impaired known) {
        String path = "/v1/watch?attempt=" + attempt + "&fabric=" + generation + "&impaired=" + known.digest();
        return send(service.resolve(path), "GET", new byte[0], 0)
                .thenCompose(answer -> answer.statusCode() == 204
                        ? awaitImpaired(attempt, generation, known)
                        : CompletableFuture.completedFuture(update(answer)));
    }

    /**
     * Waits until the pod is told that somebody watches what its job sends, or that nobody does any more.
     *
     * @param live which of the two it knows
     */
    public CompletableFuture<JobFabricUpdate> awaitTrafficWanted(int attempt, boolean live) {
        return send(service.resolve("/v1/watch?attempt=" + attempt + "&live=" + live), "GET", new byte[0], 0)
                .thenCompose(answer -> answer.statusCode() == 204
                        ? awaitTrafficWanted(attempt, live)
                        : CompletableFuture.completedFuture(update(answer)));
    }

    /** Tells what the pods of the job have sent. */
    public CompletableFuture<HttpResponse<byte[]>> tellTraffic(int attempt, TrafficReport report) {
        return send(service.resolve("/v1/traffic?attempt=" + attempt), "POST", TrafficReportCodec.encode(report), 0);
    }

    /** One question for news of the fabric and its links, as the first pod of a job asks that knows these. */
    public CompletableFuture<HttpResponse<byte[]>> watchNews(
            JobMap known, boolean pending, JobFabricUpdate.Impaired impaired) {
        String path = "/v1/watch?attempt=" + known.attempt() + "&fabric="
                + Objects.requireNonNull(known.fabric()).generation() + "&others=" + known.otherGenerations()
                + "&routes=" + known.knownRoutes() + "&impaired=" + impaired.digest() + "&reads="
                + JobMapCodec.HIGHEST_VERSION + (pending ? "&pending=true" : "");
        return send(service.resolve(path), "GET", new byte[0], 0);
    }

    /** The news in an answer. */
    public static JobFabricUpdate update(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + ": " + text(answer));
        }
        try {
            return JobFabricUpdate.decode(answer.body());
        } catch (JobCodecException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells the map that the pod holds, as one does that was asked for it. */
    public CompletableFuture<HttpResponse<byte[]>> tellMap(JobMap map) {
        byte[] body = JobMapCodec.encode(map.withoutValues());
        return send(service.resolve("/v1/map?attempt=" + map.attempt()), "POST", body, 0);
    }

    /** Waits for news of the fabric beyond a generation, until there are some. */
    public CompletableFuture<JobFabricUpdate> awaitFabricUpdate(int attempt, long generation, boolean pending) {
        return watchFabric(attempt, generation, pending).thenCompose(answer -> {
            if (answer.statusCode() == 204) {
                return awaitFabricUpdate(attempt, generation, pending);
            }
            return CompletableFuture.completedFuture(update(answer));
        });
    }

    public int event(int attempt, String line) {
        return send(service.resolve("/v1/event?attempt=" + attempt), "POST", line.getBytes(StandardCharsets.UTF_8), 0)
                .join()
                .statusCode();
    }

    /** The map in an answer. */
    public static JobMap map(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + ": " + text(answer));
        }
        try {
            return JobMapCodec.decode(answer.body());
        } catch (JobCodecException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private CompletableFuture<HttpResponse<byte[]>> send(URI to, String method, byte[] body, int redirections) {
        HttpRequest.Builder request = HttpRequest.newBuilder(to)
                .timeout(PATIENCE)
                .method(
                        method,
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenCompose(answer -> {
                    if (answer.statusCode() != 307) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    if (redirections >= MOST_REDIRECTIONS) {
                        throw new UncheckedIOException(new IOException("sent from one replica to the other"));
                    }
                    URI next =
                            URI.create(answer.headers().firstValue("Location").orElseThrow());
                    return send(next, method, body, redirections + 1);
                });
    }
}
