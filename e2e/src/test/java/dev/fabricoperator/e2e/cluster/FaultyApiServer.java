/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The API server of a control plane behind a proxy that plays its faults: answers that come late, are refusals or never come, watches that say nothing for a while or have
 * lost what happened. Its clients speak HTTP/1.1 and watch by WebSocket.
 */
public final class FaultyApiServer implements Cluster {
    private static final int MESSAGE_BYTES = 64 << 20;
    private static final int HEADER_BYTES = 64 << 10;
    /** Each watch is one. */
    private static final int CONNECTIONS = 1000;

    private final ControlPlane cluster;
    private final Vertx vertx;
    private final HttpServer server;
    private final HttpClient client;
    private final WebSocketClient watchClient;
    private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private final AtomicInteger played = new AtomicInteger();
    private volatile Function<Request, Fault> faults = request -> Fault.NONE;
    private volatile boolean frozen;

    /** @param path without the query */
    public record Request(String method, String path) {
        public boolean isWrite() {
            return !method.equals("GET");
        }

        /** Which is written as time goes by. */
        public boolean isOfLease() {
            return path.startsWith("/apis/coordination.k8s.io/");
        }

        /** Not of a lease, and no review, which changes nothing. */
        public boolean isWriteOfObject() {
            return isWrite() && !isOfLease() && !path.endsWith("reviews");
        }
    }

    /** What happens to one request. */
    public sealed interface Fault {
        Fault NONE = new Late(Duration.ZERO);

        /** The answer comes that long after the request. */
        record Late(Duration delay) implements Fault {}

        /** The API server never hears of it, and its client hears this. */
        record Refused(int status) implements Fault {}

        /** The API server never hears of it, and its client hears nothing. */
        record Unheard() implements Fault {}

        /** The connection is closed before the API server hears of it. */
        record Closed() implements Fault {}

        /** The API server has done it, and the connection is closed before its client hears of that. */
        record ClosedAfter() implements Fault {}

        /** The API server hears of it when this is complete. */
        record Held(CompletableFuture<?> until) implements Fault {}

        /** The API server has done it, then this runs, and its client hears nothing. */
        record Unanswered(Runnable then) implements Fault {}
    }

    private record Watch(WebSocket upstream, WebSocketBase downstream) {}

    private FaultyApiServer(ControlPlane cluster, Path tls) {
        this.cluster = cluster;
        this.vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setWorkerPoolSize(2)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        PemTrustOptions trust = new PemTrustOptions().addCertValue(Buffer.buffer(cluster.authorityPem()));
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setSsl(true).setTrustOptions(trust).setMaxPoolSize(CONNECTIONS));
        this.watchClient = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setSsl(true)
                .setTrustOptions(trust)
                .setMaxConnections(CONNECTIONS)
                .setMaxFrameSize(MESSAGE_BYTES)
                .setMaxMessageSize(MESSAGE_BYTES));
        this.server = vertx.createHttpServer(new HttpServerOptions()
                .setHost("127.0.0.1")
                .setPort(0)
                .setSsl(true)
                .setUseAlpn(false)
                .setMaxHeaderSize(HEADER_BYTES)
                .setMaxWebSocketFrameSize(MESSAGE_BYTES)
                .setMaxWebSocketMessageSize(MESSAGE_BYTES)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertPath(tls.resolve("tls.crt").toString())
                        .addKeyPath(tls.resolve("tls.key").toString())));
        this.server.requestHandler(this::handle);
    }

    /** @param directory for its certificate */
    public static FaultyApiServer start(ControlPlane cluster, Path directory) {
        Path tls = directory.resolve("faulty-api-server");
        cluster.writeServingCertificate(tls, List.of("127.0.0.1"));
        FaultyApiServer faulty = new FaultyApiServer(cluster, tls);
        faulty.server.listen().toCompletionStage().toCompletableFuture().join();
        return faulty;
    }

    /** @param newFaults asked for each request from now on, on the one thread that serves them all */
    public void play(Function<Request, Fault> newFaults) {
        faults = newFaults;
    }

    /** Requests so far that met a fault. */
    public int played() {
        return played.get();
    }

    /** No watch, and none that begins meanwhile, says what happens until {@link #thawWatches} or {@link #expireWatches}. */
    public void freezeWatches() {
        onServingThread(() -> {
            frozen = true;
            watches.forEach(watch -> watch.upstream.pause());
        });
    }

    /** All that has happened is told. */
    public void thawWatches() {
        onServingThread(() -> {
            frozen = false;
            watches.forEach(watch -> watch.upstream.resume());
        });
    }

    /** What has happened is lost ("410 Gone"): who reads everything anew learns only what is left. */
    public void expireWatches() {
        String gone = cluster.admin()
                .getKubernetesSerialization()
                .asJson(new WatchEvent(
                        new StatusBuilder()
                                .withStatus("Failure")
                                .withReason("Expired")
                                .withMessage("too old resource version")
                                .withCode(410)
                                .build(),
                        "ERROR"));
        onServingThread(() -> {
            frozen = false;
            for (Watch watch : watches) {
                watch.upstream.textMessageHandler(lost -> {});
                watch.downstream.writeTextMessage(gone).onComplete(written -> watch.downstream.close());
            }
        });
    }

    private void onServingThread(Runnable action) {
        vertx.executeBlocking(() -> null)
                .onComplete(nothing -> action.run())
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private void handle(HttpServerRequest request) {
        Request asked = new Request(request.method().name(), Objects.requireNonNullElse(request.path(), ""));
        Fault fault = faults.apply(asked);
        if (!fault.equals(Fault.NONE)) {
            played.incrementAndGet();
        }
        switch (fault) {
            case Fault.Unheard() -> request.body();
            case Fault.Closed() -> request.connection().close();
            case Fault.Refused(int status) -> request.body().onSuccess(body -> refuse(request, status));
            case Fault.Late late when isWatch(request) -> watch(request);
            case Fault.Late(Duration delay) -> {
                long dueNanos = System.nanoTime() + delay.toNanos();
                handOn(request, (answer, body) -> atNanos(dueNanos, () -> answer(request, answer, body)));
            }
            case Fault.ClosedAfter()
            when isWatch(request) -> request.connection().close();
            case Fault.ClosedAfter() ->
                handOn(request, (answer, body) -> request.connection().close());
            case Fault.Unanswered(Runnable then) ->
                handOn(request, (answer, body) -> Thread.ofVirtual().start(then));
            case Fault.Held(CompletableFuture<?> until) ->
                handOn(
                        request,
                        Future.join(request.body(), Future.fromCompletionStage(until, vertx.getOrCreateContext()))
                                .map(both -> both.resultAt(0)),
                        (answer, body) -> answer(request, answer, body));
        }
    }

    /** Which has no answer that could be handed on as a whole. */
    private static boolean isWatch(HttpServerRequest request) {
        return "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
    }

    @FunctionalInterface
    private interface Answered {
        void answered(HttpClientResponse answer, Buffer body);
    }

    private void handOn(HttpServerRequest request, Answered answered) {
        handOn(request, request.body(), answered);
    }

    private void handOn(HttpServerRequest request, Future<Buffer> toSend, Answered answered) {
        toSend.compose(body -> client.request(new RequestOptions()
                                .setAbsoluteURI(cluster.server() + request.uri())
                                .setMethod(HttpMethod.valueOf(request.method().name()))
                                .setHeaders(headers(request)))
                        .compose(handed -> handed.send(body)))
                .compose(answer -> answer.body().onSuccess(body -> answered.answered(answer, body)))
                .onFailure(gone -> request.connection().close());
    }

    private static MultiMap headers(HttpServerRequest request) {
        MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(request.headers());
        return headers.remove(HttpHeaders.HOST)
                .remove(HttpHeaders.CONTENT_LENGTH)
                .remove(HttpHeaders.TRANSFER_ENCODING);
    }

    private void atNanos(long dueNanos, Runnable action) {
        long left = TimeUnit.NANOSECONDS.toMillis(dueNanos - System.nanoTime());
        if (left > 0) {
            vertx.setTimer(left, timer -> action.run());
        } else {
            action.run();
        }
    }

    private static void answer(HttpServerRequest request, HttpClientResponse answer, Buffer body) {
        request.response().setStatusCode(answer.statusCode());
        request.response().headers().addAll(answer.headers()).remove(HttpHeaders.TRANSFER_ENCODING);
        request.response().end(body);
    }

    /** As an API server says it. */
    private void refuse(HttpServerRequest request, int status) {
        String reason = switch (status) {
            case 403 -> "Forbidden";
            case 409 -> "Conflict";
            case 429 -> "TooManyRequests";
            default -> "InternalError";
        };
        if (status == 429) {
            request.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        request.response()
                .setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(cluster.admin()
                        .getKubernetesSerialization()
                        .asJson(new StatusBuilder()
                                .withStatus("Failure")
                                .withReason(reason)
                                .withMessage("played")
                                .withCode(status)
                                .build()));
    }

    private void watch(HttpServerRequest request) {
        request.pause();
        URI target = URI.create(cluster.server());
        MultiMap headers = MultiMap.caseInsensitiveMultiMap();
        String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (authorization != null) {
            headers.add(HttpHeaders.AUTHORIZATION, authorization);
        }
        watchClient
                .connect(new WebSocketConnectOptions()
                        .setHost(target.getHost())
                        .setPort(target.getPort())
                        .setURI(request.uri())
                        .setHeaders(headers))
                .onSuccess(upstream -> {
                    upstream.pause();
                    request.toWebSocket()
                            .onSuccess(downstream -> relay(new Watch(upstream, downstream)))
                            .onFailure(gone -> upstream.close());
                })
                .onFailure(refused -> {
                    if (refused instanceof UpgradeRejectedException rejected) {
                        request.response()
                                .setStatusCode(rejected.getStatus())
                                .end(rejected.getBody() == null ? Buffer.buffer() : rejected.getBody());
                    } else {
                        request.connection().close();
                    }
                });
    }

    private void relay(Watch watch) {
        watches.add(watch);
        watch.upstream.textMessageHandler(watch.downstream::writeTextMessage);
        watch.upstream.closeHandler(closed -> {
            watches.remove(watch);
            watch.downstream.close();
        });
        watch.downstream.closeHandler(closed -> {
            watches.remove(watch);
            watch.upstream.close();
        });
        if (!frozen) {
            watch.upstream.resume();
        }
    }

    /** Without faults. */
    @Override
    public KubernetesClient admin() {
        return cluster.admin();
    }

    @Override
    public String server() {
        return "https://127.0.0.1:" + server.actualPort();
    }

    @Override
    public String authorityPem() {
        return cluster.authorityPem();
    }

    @Override
    public Path kubeconfig() {
        return cluster.kubeconfig();
    }

    @Override
    public Path kubectl() {
        return cluster.kubectl();
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
