/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.ServingIdentity;
import dev.fabricoperator.operator.server.jobs.service.JobEndpoint.TrafficCopy;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Hands what a pod has told of its job's traffic on to the other replicas, with the pod's own token: they believe it as far as they would believe the pod; and
 * tells them whose traffic somebody watches. How
 * much is under way at one time is {@link CopyQueue}'s affair.
 */
final class TrafficCopies implements CopyQueue.Sending {
    private static final Logger LOG = Logger.getLogger(TrafficCopies.class);
    private static final long PATIENCE_MILLIS = 10_000;
    /** Of what another replica says is wrong. */
    private static final int LONGEST_WORDS = 200;
    /** To one replica. */
    private static final int CONNECTIONS = 4;

    /** More than {@link CopyQueue} has at one time. */
    private static final int WAITING = 4096;
    /** A replica that is about to end, has too much to do, or cannot ask the API server. */
    private static final Set<Integer> NOT_NOW = Set.of(408, 429, 500, 502, 503, 504);

    private final Vertx vertx;
    private final ServingIdentity identity;
    private final String service;
    private @Nullable HttpClient client;
    private String trusted = "";

    /** @param service that the replicas' certificates are for */
    TrafficCopies(Vertx vertx, ServingIdentity identity, String service) {
        this.vertx = vertx;
        this.identity = identity;
        this.service = service;
    }

    @Override
    public void send(String other, TrafficCopy copy, Consumer<CopyQueue.Outcome> ended) {
        HttpClient from = client();
        if (from == null) {
            ended.accept(CopyQueue.Outcome.NOT_NOW);
            return;
        }
        from.request(to(
                                other,
                                JobEndpoint.TRAFFIC + "?attempt=" + copy.attempt() + "&copyOf="
                                        + URLEncoder.encode(copy.fabricJob(), StandardCharsets.UTF_8))
                        .putHeader("Authorization", "Bearer " + copy.token()))
                .compose(request -> request.send(Buffer.buffer(copy.report())))
                .onComplete(answer -> {
                    if (answer.failed()) {
                        LOG.debugf(
                                "replica %s gets no copy: %s",
                                other, answer.cause().getMessage());
                        ended.accept(CopyQueue.Outcome.NOT_NOW);
                        return;
                    }
                    int status = answer.result().statusCode();
                    if (status >= 300) {
                        LOG.debugf("replica %s takes no copy: %d", other, status);
                    }
                    ended.accept(NOT_NOW.contains(status) ? CopyQueue.Outcome.NOT_NOW : CopyQueue.Outcome.OVER);
                });
    }

    /** That somebody watches what a job sends, once: who still watches is told of again. */
    void sendWatched(String other, String namespace, String fabricJob) {
        HttpClient from = client();
        if (from == null) {
            return;
        }
        from.request(to(
                        other,
                        ReplicaRoutes.WATCHED + "?namespace=" + URLEncoder.encode(namespace, StandardCharsets.UTF_8)
                                + "&job=" + URLEncoder.encode(fabricJob, StandardCharsets.UTF_8)))
                .compose(HttpClientRequest::send)
                .onFailure(e -> LOG.debugf("replica %s is not told who is watched: %s", other, e.getMessage()));
    }

    /** What another replica has of an exporter: JSON, compressed. */
    CompletableFuture<byte[]> ports(String other, String fabric, String id) {
        HttpClient from = client();
        if (from == null) {
            return CompletableFuture.failedFuture(new IOException("the servers' authority is not known yet"));
        }
        String uri = ReplicaRoutes.PORTS + "?fabric=" + URLEncoder.encode(fabric, StandardCharsets.UTF_8) + "&id="
                + URLEncoder.encode(id, StandardCharsets.UTF_8);
        return from.request(to(other, uri).setMethod(HttpMethod.GET))
                .compose(HttpClientRequest::send)
                .compose(answer -> answer.body().map(body -> {
                    if (answer.statusCode() != 200) {
                        throw new IllegalStateException("it answers " + answer.statusCode() + ": "
                                + body.getString(0, Math.min(body.length(), LONGEST_WORDS)));
                    }
                    return body.getBytes();
                }))
                .toCompletionStage()
                .toCompletableFuture();
    }

    private RequestOptions to(String other, String uri) {
        int colon = other.lastIndexOf(':');
        int port = Integer.parseInt(other.substring(colon + 1));
        return new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(
                        port, other.substring(0, colon).replaceAll("^\\[|\\]$", "")))
                .setHost(service)
                .setPort(port)
                .setMethod(HttpMethod.POST)
                .setURI(uri)
                .setTimeout(PATIENCE_MILLIS);
    }

    private synchronized @Nullable HttpClient client() {
        String authorities = identity.authorityPem();
        if (authorities == null) {
            return null;
        }
        HttpClient known = client;
        if (known == null || !authorities.equals(trusted)) {
            if (known != null) {
                known.close();
            }
            known = vertx.createHttpClient(
                    new HttpClientOptions()
                            .setSsl(true)
                            .setVerifyHost(true)
                            .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(authorities)))
                            .setConnectTimeout((int) PATIENCE_MILLIS)
                            .setIdleTimeout((int) TimeUnit.MILLISECONDS.toSeconds(PATIENCE_MILLIS)),
                    new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(WAITING));
            client = known;
            trusted = authorities;
        }
        return known;
    }
}
