/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.Settings;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.quarkus.vertx.http.runtime.VertxHttpRecorder;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Health and metrics, without TLS, in both roles. Quarkus answers, but does not listen: its own listener bounds the connections of
 * everybody together only, so that one client could keep the kubelet's probes out.
 *
 * <p>The kubelet comes from its node's address, of which pods with {@code hostNetwork} have the same share. Where these use it up, a
 * connection of theirs that is older than a second gives way to the next probe.
 */
@ApplicationScoped
public class HealthListener {
    private final Vertx vertx;
    private final HttpServerOptions options;
    private final OpenConnections connections;
    private @Nullable HttpServer server;

    /**
     * @param connections at one time, of all clients
     * @param idle a connection on which nothing has come or gone for so long ends
     */
    HealthListener(
            Vertx vertx,
            MeterRegistry meters,
            Settings settings,
            @ConfigProperty(name = "quarkus.http.host") String host,
            @ConfigProperty(name = "quarkus.http.port") int port,
            @ConfigProperty(name = "quarkus.http.limits.max-connections") int connections,
            @ConfigProperty(name = "quarkus.http.idle-timeout") Duration idle) {
        this.vertx = vertx;
        // Without HTTP/2 a connection counts before its first byte.
        this.options = new HttpServerOptions()
                .setHost(host)
                .setPort(port)
                .setHttp2ClearTextEnabled(false)
                .setIdleTimeout(Math.toIntExact(idle.toMillis()))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
        int each = settings.health().connectionsPerAddress();
        this.connections = new OpenConnections("health", new ConnectionLimits(connections, each, each), meters);
    }

    /** Returns when it listens. */
    public void start() throws IOException {
        start(VertxHttpRecorder.getRootHandler());
    }

    void start(Handler<HttpServerRequest> handler) throws IOException {
        server = vertx.createHttpServer(options).connectionHandler(this::accept).requestHandler(handler);
        Listener.listen(server, options);
    }

    private void accept(HttpConnection connection) {
        // Vert.x itself would end a connection only after what is still to be written to it.
        ChannelHandlerContext context = ((ConnectionBase) connection).channelHandlerContext();
        if (!connections.accept(context)) {
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            context.close();
        }
    }

    int port() {
        return server == null ? -1 : server.actualPort();
    }

    @PreDestroy
    void stop() {
        if (server != null) {
            server.close();
        }
    }
}
