/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS that asks, before it reads a connection's first byte, whether that connection is wanted. Vert.x offers no other place for this: its own handlers hear
 * of a connection when its handshake is done, and the handshake is what strangers make expensive.
 *
 * <p>BoringSSL takes 0.5 s of CPU for the first handshake of a process and 10 ms for each of the next, Java's own 3 s and 45 ms. Where the library
 * does not load ({@code /tmp} without exec, another C library), Java's own serves.
 */
final class AcceptingTls extends SslContext {
    private final SslContext tls;
    private final Predicate<ChannelHandlerContext> accept;

    private AcceptingTls(SslContext tls, Predicate<ChannelHandlerContext> accept) {
        this.tls = tls;
        this.accept = accept;
    }

    /** @param accept whether TLS is to begin; the connection is reset otherwise */
    static SSLEngineOptions engine(Predicate<ChannelHandlerContext> accept) {
        return OpenSSLEngineOptions.isAvailable() ? new OpenSsl(accept) : new Java(accept);
    }

    private static final class OpenSsl extends OpenSSLEngineOptions {
        private final Predicate<ChannelHandlerContext> accept;

        OpenSsl(Predicate<ChannelHandlerContext> accept) {
            this.accept = accept;
        }

        @Override
        public OpenSSLEngineOptions copy() {
            return this;
        }

        @Override
        public SslContextFactory sslContextFactory() {
            return new Factory(super.sslContextFactory(), accept);
        }
    }

    private static final class Java extends JdkSSLEngineOptions {
        private final Predicate<ChannelHandlerContext> accept;

        Java(Predicate<ChannelHandlerContext> accept) {
            this.accept = accept;
        }

        @Override
        public JdkSSLEngineOptions copy() {
            return this;
        }

        @Override
        public SslContextFactory sslContextFactory() {
            return new Factory(super.sslContextFactory(), accept);
        }
    }

    private record Factory(SslContextFactory made, Predicate<ChannelHandlerContext> accept)
            implements SslContextFactory {
        @Override
        public SslContextFactory useAlpn(boolean useAlpn) {
            made.useAlpn(useAlpn);
            return this;
        }

        @Override
        public SslContextFactory clientAuth(io.netty.handler.ssl.ClientAuth clientAuth) {
            made.clientAuth(clientAuth);
            return this;
        }

        @Override
        public SslContextFactory forClient(boolean forClient) {
            made.forClient(forClient);
            return this;
        }

        @Override
        public SslContextFactory keyMananagerFactory(javax.net.ssl.KeyManagerFactory keys) {
            // Else OpenSSL gets chain and key as PEM, made and parsed anew for each handshake. What is kept goes by the
            // alias, of which a new key has another.
            made.keyMananagerFactory(new OpenSslCachingX509KeyManagerFactory(keys));
            return this;
        }

        @Override
        public SslContextFactory trustManagerFactory(javax.net.ssl.TrustManagerFactory trust) {
            made.trustManagerFactory(trust);
            return this;
        }

        @Override
        public SslContextFactory enabledCipherSuites(java.util.Set<String> suites) {
            made.enabledCipherSuites(suites);
            return this;
        }

        @Override
        public SslContextFactory applicationProtocols(List<String> protocols) {
            made.applicationProtocols(protocols);
            return this;
        }

        @Override
        public SslContextFactory serverName(String name) {
            made.serverName(name);
            return this;
        }

        @Override
        public SslContext create() throws SSLException {
            return new AcceptingTls(made.create(), accept);
        }
    }

    /** Takes over the engine that the real context has made, and asks as soon as it knows the connection. */
    private final class Handler extends SslHandler {
        Handler(SSLEngine engine, boolean startTls, Executor tasks) {
            super(engine, startTls, tasks);
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) throws Exception {
            super.handlerAdded(context);
            if (!accept.test(context)) {
                // A reset costs this side nothing more; there is nothing to say to the other. From here on down, so
                // that no alert is made.
                context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                context.close();
            }
        }
    }

    private SslHandler handler(SslHandler made, boolean startTls, @Nullable Executor tasks) {
        return new Handler(made.engine(), startTls, tasks == null ? Runnable::run : tasks);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls) {
        return handler(tls.newHandler(allocator), startTls, null);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, boolean startTls, Executor tasks) {
        return handler(tls.newHandler(allocator, tasks), startTls, tasks);
    }

    @Override
    protected SslHandler newHandler(ByteBufAllocator allocator, String host, int port, boolean startTls) {
        return handler(tls.newHandler(allocator, host, port), startTls, null);
    }

    @Override
    protected SslHandler newHandler(
            ByteBufAllocator allocator, String host, int port, boolean startTls, Executor tasks) {
        return handler(tls.newHandler(allocator, host, port, tasks), startTls, tasks);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
        return tls.newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
        return tls.newEngine(allocator, host, port);
    }

    @Override
    public boolean isClient() {
        return false;
    }

    @Override
    public List<String> cipherSuites() {
        return tls.cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // SslContext has it still
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return tls.applicationProtocolNegotiator();
    }

    @Override
    public SSLSessionContext sessionContext() {
        return tls.sessionContext();
    }
}
