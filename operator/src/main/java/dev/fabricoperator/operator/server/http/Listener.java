/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.auth.Caller;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;

/**
 * HTTPS in front of an {@link Endpoint}: takes GET requests, finds out who asks and whether they may, and sends what they get. Bounds what
 * one client, or many, can take ({@link QuerySettings.Limits}).
 *
 * <p>The event loop only takes requests; each is served by a virtual thread, which may wait.
 */
public final class Listener implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Listener.class);
    private static final int MAXIMUM_REQUEST_LINE = 16 * 1024;
    private static final int MAXIMUM_HEADERS = 64 * 1024;
    private static final int STREAMS_OF_A_CONNECTION = 250;
    private static final long SWEEP_MILLISECONDS = 1_000;

    private final Vertx vertx;
    private final QuerySettings settings;
    private final Gate gate;
    private final Endpoint endpoint;
    private final Respond respond;
    private final Connections connections;
    private final Quota requests;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final long sweeping;

    public Listener(
            Vertx vertx,
            QuerySettings settings,
            X509KeyManager certificate,
            Gate gate,
            Endpoint endpoint,
            RequestLog log) {
        this.vertx = vertx;
        this.settings = settings;
        this.gate = gate;
        this.endpoint = endpoint;
        this.respond = new Respond(settings.limits(), log);
        this.connections = new Connections(
                settings.limits().connections(), settings.limits().idle());
        this.requests =
                new Quota(settings.limits().requests(), settings.limits().requestsPerUser());
        server = vertx.createHttpServer(new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
                .setKeyCertOptions(KeyCertOptions.wrap(certificate))
                .setTrustOptions(TrustOptions.wrap(new AnyClient()))
                .setClientAuth(ClientAuth.REQUEST)
                .setHost(settings.host())
                .setPort(settings.port())
                .setMaxInitialLineLength(MAXIMUM_REQUEST_LINE)
                .setMaxHeaderSize(MAXIMUM_HEADERS)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(STREAMS_OF_A_CONNECTION)
                        .setMaxHeaderListSize(MAXIMUM_HEADERS)));
        server.connectionHandler(connections::opened).requestHandler(this::take);
        sweeping = vertx.setPeriodic(SWEEP_MILLISECONDS, id -> connections.sweep());
    }

    /** Returns when it listens; the port is {@link #port}. */
    public void start() throws IOException {
        Sending.await(server.listen().mapEmpty(), settings.limits().request().toNanos());
        LOG.infof("query API on https://%s:%d", settings.host(), port());
    }

    public int port() {
        return server.actualPort();
    }

    private void take(HttpServerRequest request) {
        connections.begins(request.connection());
        boolean body = request.getHeader("Transfer-Encoding") != null
                || !"0"
                        .equals(
                                request.headers().contains("Content-Length")
                                        ? request.getHeader("Content-Length")
                                        : "0");
        threads.execute(() -> {
            Exchange exchange = new Exchange(request);
            try {
                if (request.method() != HttpMethod.GET) {
                    throw Refusal.methodNotAllowed();
                }
                if (body) {
                    throw Refusal.tooLarge(null, "a question has no body");
                }
                serve(exchange);
            } catch (Refusal e) {
                respond.refuse(exchange, e, "", body);
            } catch (RuntimeException e) {
                LOG.errorf(e, "defect in %s", request.path());
                respond.refuse(exchange, Refusal.internal(), "", true);
            } finally {
                connections.ends(request.connection());
            }
        });
    }

    private void serve(Exchange exchange) throws Refusal {
        Caller caller = gate.authenticate(exchange.request());
        if (!requests.take(caller.name())) {
            throw Refusal.tooMany("too many requests at one time");
        }
        boolean given = true;
        try {
            Question question = question(exchange.request());
            Answer answer;
            try {
                gate.authorize(caller, endpoint.wish(question));
                answer = endpoint.answer(question);
            } catch (Refusal e) {
                respond.refuse(exchange, e, endpoint.subject(question), false);
                return;
            }
            if (answer instanceof Answer.Streamed stream) {
                // Streams have a quota of their own.
                requests.giveBack(caller.name());
                given = false;
                respond.stream(exchange, stream, caller.name());
            } else {
                respond.send(exchange, answer);
            }
        } finally {
            if (given) {
                requests.giveBack(caller.name());
            }
        }
    }

    private static Question question(HttpServerRequest request) throws Refusal {
        String path = request.path() == null ? "" : request.path();
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                segments.add(decoded(segment));
            }
        }
        return new Question(
                "/" + String.join("/", segments), segments, Parameters.of(request.uri()), request.getHeader("Accept"));
    }

    private static String decoded(String segment) throws Refusal {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Refusal.badParam("path", "the path is not URL-encoded");
        }
    }

    @Override
    public void close() {
        vertx.cancelTimer(sweeping);
        server.close();
        threads.shutdownNow();
    }
}
