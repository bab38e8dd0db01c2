/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open connections of one listener within their {@link ConnectionLimits}, and metrics of them and of what was refused. */
final class OpenConnections {
    private final ConnectionLimits limits;
    private final Map<SocketAddress, ClientConnection> byPeer = new ConcurrentHashMap<>();
    private final Map<Refused, Counter> refused = new EnumMap<>(Refused.class);

    /** What was refused; a tag of a metric. */
    enum Refused {
        address_full,
        listener_full,
        displaced,
        handshake,
        idle,
        slow,
        requests_full,
        bodies_full
    }

    /** @param listener its name, a tag of the metrics */
    OpenConnections(String listener, ConnectionLimits limits, MeterRegistry meters) {
        this.limits = limits;
        for (Refused why : Refused.values()) {
            refused.put(
                    why,
                    Counter.builder("fabric_operator_listener_refused")
                            .description("Connections and requests that a listener has refused or ended")
                            .tag("listener", listener)
                            .tag("reason", why.name())
                            .register(meters));
        }
        Gauge.builder("fabric_operator_listener_connections", limits, ConnectionLimits::size)
                .description("Open connections of a listener")
                .tag("listener", listener)
                .register(meters);
    }

    /** Whether the connection is wanted; asked before its first byte is read, on an event loop. The caller closes it if not. */
    boolean accept(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (!(channel.remoteAddress() instanceof InetSocketAddress peer)) {
            // It is gone already.
            return false;
        }
        ClientConnection next = new ClientConnection(
                peer.getAddress().getHostAddress(), System.nanoTime(), channel::close, context::close);
        ConnectionLimits.Decision decision = limits.accept(next);
        ClientConnection displaced = decision.displaced();
        if (displaced != null) {
            count(Refused.displaced);
            displaced.abort();
        }
        switch (decision.outcome()) {
            case address_full -> count(Refused.address_full);
            case listener_full -> count(Refused.listener_full);
            case accepted -> {
                SocketAddress key = SocketAddress.inetSocketAddress(peer);
                byPeer.put(key, next);
                channel.closeFuture().addListener(closed -> {
                    byPeer.remove(key, next);
                    limits.remove(next);
                    Set.copyOf(next.inWork()).forEach(Exchange::ended);
                });
                if (context.handler() instanceof SslHandler tls) {
                    tls.handshakeFuture().addListener(done -> limits.handshaken(next));
                } else {
                    limits.handshaken(next);
                }
                return true;
            }
        }
        return false;
    }

    /** {@code null} for one that is gone. */
    @Nullable
    ClientConnection from(SocketAddress peer) {
        return byPeer.get(peer);
    }

    ConnectionLimits limits() {
        return limits;
    }

    void count(Refused why) {
        Objects.requireNonNull(refused.get(why)).increment();
    }
}
