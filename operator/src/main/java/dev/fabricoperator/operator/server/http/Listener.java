/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.http.OpenConnections.Refused;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;

/**
 * HTTPS for the webhooks, the job service and the query API, within {@link ListenerSettings}: whoever reaches the port takes no more of the process than
 * they allow, and displaces nobody who takes less.
 *
 * <p>Routes are added before {@link #start}. They run on the event loop and must not wait: {@link Exchange#fork} may. A request's body is paused until
 * {@link Exchange#readBody}, so that who asks can be authenticated before.
 */
public final class Listener implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Listener.class);
    private static final int BACKLOG = 4096;
    private static final long START_SECONDS = 30;
    private static final long SWEEP_MILLISECONDS = 500;
    /** Where there is no room, whoever has kept the listener waiting for so long gives way. */
    static final Duration GRACE = Duration.ofMillis(250);

    private static final Duration LOOK_PAUSE = Duration.ofMillis(10);

    private static final int HEAP_SHARE = 8;
    private static final int MEBIBYTE = 1 << 20;
    private static final int MAXIMUM_REQUEST_LINE = 16 * 1024;

    private final Vertx vertx;
    private final ServingInfo serving;
    private final ListenerSettings settings;
    private final OpenConnections connections;
    private final SharedLimit requests;
    private final SharedLimit bodies;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Router router;
    private final HttpServerOptions options;
    private final HttpServer server;
    private final long sweeping;
    private volatile long nobodyGaveWayNanos = System.nanoTime() - LOOK_PAUSE.toNanos();

    /**
     * Where a listener is and what it speaks.
     *
     * @param name in the log and as a tag of metrics
     * @param protocols such as {@code TLSv1.3}
     * @param asksForCertificate whether clients may show a certificate; any one will do, and whose word counts is for the routes to say
     */
    public record ServingInfo(String name, String host, int port, Set<String> protocols, boolean asksForCertificate) {}

    public Listener(
            Vertx vertx,
            ServingInfo serving,
            ListenerSettings settings,
            X509KeyManager certificate,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.serving = serving;
        this.settings = settings;
        this.connections = new OpenConnections(serving.name(), new ConnectionLimits(settings), meters);
        this.requests = new SharedLimit(settings.requests(), settings.requestsPerAddress());
        long bodyBytes = Math.min(
                (long) settings.bodiesMebibytes() * MEBIBYTE,
                Runtime.getRuntime().maxMemory() / HEAP_SHARE);
        this.bodies = new SharedLimit(bodyBytes, bodyBytes / 2);
        options = new HttpServerOptions()
                .setHost(serving.host())
                .setPort(serving.port())
                .setAcceptBacklog(BACKLOG)
                .setSsl(true)
                .setUseAlpn(true)
                .setEnabledSecureTransportProtocols(serving.protocols())
                .setKeyCertOptions(KeyCertOptions.wrap(certificate))
                .setSslEngineOptions(AcceptingTls.engine(connections::accept))
                .setSslHandshakeTimeout(settings.handshake().toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxInitialLineLength(Math.min(MAXIMUM_REQUEST_LINE, settings.headerBytes()))
                .setMaxHeaderSize(settings.headerBytes())
                .setHttp2ClearTextEnabled(false)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(settings.streamsPerConnection())
                        .setMaxHeaderListSize(settings.headerBytes()));
        if (serving.asksForCertificate()) {
            // Every client finishes its handshake: a certificate alone is no identity here. The routes ask for each
            // request whose word counts, so that another front proxy's authority needs no new listener.
            options.setTrustOptions(TrustOptions.wrap(
                            InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0]))
                    .setClientAuth(ClientAuth.REQUEST);
        }
        router = Router.router(vertx);
        router.route().order(-1).handler(this::begin).failureHandler(this::failed);
        server = vertx.createHttpServer(options)
                .exceptionHandler(failed -> count(Refused.handshake))
                .requestHandler(router);
        sweeping = vertx.setPeriodic(SWEEP_MILLISECONDS, id -> sweep());
    }

    /** Adds a path; every other method gets 405, and every other path 404. */
    public Listener route(HttpMethod method, String path, Handler<Exchange> handler) {
        router.route(method, path).handler(routing -> handler.handle(Exchange.of(routing)));
        router.route(path)
                .handler(routing -> Exchange.of(routing)
                        .refuse(405, "not by " + routing.request().method()));
        return this;
    }

    /** Adds what answers to all other paths, whatever the method. */
    public Listener route(Handler<Exchange> handler) {
        router.route().handler(routing -> handler.handle(Exchange.of(routing)));
        return this;
    }

    /** Returns when it listens; the port is {@link #port}. */
    public void start() throws IOException {
        router.route().last().handler(routing -> Exchange.of(routing).refuse(404, "no such path"));
        listen(server, options);
        LOG.infof("%s on https://%s:%d", serving.name(), serving.host(), port());
    }

    static void listen(HttpServer server, HttpServerOptions options) throws IOException {
        try {
            server.listen().toCompletionStage().toCompletableFuture().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "cannot listen on " + options.getHost() + ":" + options.getPort() + ": " + e.getMessage(), e);
        }
    }

    public int port() {
        return server.actualPort();
    }

    /** Every request's first handler. */
    private void begin(RoutingContext routing) {
        ClientConnection connection =
                connections.from(routing.request().connection().remoteAddress());
        if (connection == null) {
            routing.request().connection().close();
            return;
        }
        Exchange exchange = new Exchange(this, routing, connection);
        if (!tryAcquire(requests, connection, 1)) {
            count(Refused.requests_full);
            routing.response().setStatusCode(429).putHeader("Retry-After", "1").end();
            if (routing.request().version() != HttpVersion.HTTP_2) {
                routing.request().connection().close();
            }
            return;
        }
        connection.begins(exchange);
        HttpServerResponse response = routing.response();
        response.closeHandler(closed -> exchange.ended());
        routing.request().exceptionHandler(gone -> exchange.ended());
        response.exceptionHandler(gone -> exchange.ended());
        routing.request().pause();
        routing.next();
    }

    /**
     * Takes of what all share. Where nothing is left, whoever has kept the listener waiting longest gives way, be it with a body that does not come or with an
     * answer that is not taken: else the clients of a few addresses, each with its share, keep all others out.
     */
    boolean tryAcquire(SharedLimit limit, ClientConnection by, long amount) {
        return limit.tryAcquire(by.address, amount)
                || limit.isWithinShare(by.address, amount)
                        && displaceFor(by)
                        && limit.tryAcquireBeyond(by.address, amount);
    }

    /** O(connections), but not soon again where nobody has given way. */
    private boolean displaceFor(ClientConnection next) {
        long now = System.nanoTime();
        if (now - nobodyGaveWayNanos < LOOK_PAUSE.toNanos()) {
            return false;
        }
        ClientConnection slowest = null;
        long longest = GRACE.toNanos();
        for (ClientConnection connection : connections.limits().open()) {
            long waited = connection == next ? 0 : connection.waitedNanos(now);
            if (waited > longest) {
                longest = waited;
                slowest = connection;
            }
        }
        if (slowest == null) {
            nobodyGaveWayNanos = now;
            return false;
        }
        count(Refused.displaced);
        if (!slowest.proven || !endUntaken(slowest, now)) {
            slowest.abort();
        }
        return true;
    }

    /**
     * Ends the answers of an HTTP/2 connection that are not taken, and nothing else of it; {@code false} where it is not an answer for which it
     * keeps the listener waiting longest: others would end in the place of that.
     */
    private static boolean endUntaken(ClientConnection connection, long now) {
        Exchange longest = connection.inWork().stream()
                .max(Comparator.comparingLong(exchange -> exchange.waitedNanos(now)))
                .orElse(null);
        if (longest == null || !longest.isAnswerOfStream()) {
            return false;
        }
        for (Exchange exchange : connection.inWork()) {
            if (exchange.isAnswerOfStream() && exchange.waitedNanos(now) > GRACE.toNanos()) {
                exchange.abandon();
            }
        }
        return true;
    }

    private void failed(RoutingContext routing) {
        Exchange exchange = Exchange.find(routing);
        if (exchange == null) {
            // A path that is none, for example.
            routing.response().setStatusCode(400).end();
            routing.request().connection().close();
        } else if (routing.failure() instanceof RuntimeException problem && routing.statusCode() >= 500) {
            defect(exchange, problem);
        } else {
            exchange.refuse(Math.max(routing.statusCode(), 400), "this request cannot be taken");
        }
    }

    /** Ends what is there for nothing, and what takes too long. */
    private void sweep() {
        long now = System.nanoTime();
        long idle = settings.idle().toNanos();
        long unproven = settings.unproven().toNanos();
        for (ClientConnection connection : connections.limits().open()) {
            if (connection.isIdleFor(now, idle, unproven)) {
                count(Refused.idle);
                connection.close();
            } else {
                endOverdue(connection, now);
            }
        }
    }

    /** A connection may be the front proxy's, and its other requests those of others: of an answer that is not taken only that request ends. */
    private void endOverdue(ClientConnection connection, long now) {
        for (Exchange exchange : connection.inWork()) {
            if (exchange.isOverdue(now, settings)) {
                count(Refused.slow);
                if (!exchange.isAnswerOfStream()) {
                    connection.abort();
                    return;
                }
                exchange.abandon();
            }
        }
    }

    void ended(Exchange exchange, long bodyBytes) {
        requests.release(exchange.address(), 1);
        if (bodyBytes > 0) {
            bodies.release(exchange.address(), bodyBytes);
        }
    }

    void defect(Exchange exchange, Throwable problem) {
        LOG.errorf(problem, "defect in %s", exchange.request().path());
        exchange.refuse(500, "this request met a defect; the log says more");
    }

    void count(Refused why) {
        connections.count(why);
    }

    ConnectionLimits connections() {
        return connections.limits();
    }

    SharedLimit requests() {
        return requests;
    }

    SharedLimit bodies() {
        return bodies;
    }

    ExecutorService threads() {
        return threads;
    }

    @Override
    public void close() {
        vertx.cancelTimer(sweeping);
        server.close();
        threads.shutdownNow();
    }
}
