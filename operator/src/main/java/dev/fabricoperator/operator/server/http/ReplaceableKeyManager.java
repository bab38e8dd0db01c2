/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A key manager whose key can be replaced, and which has none at first: new handshakes see the new one, open connections stay.
 *
 * <p>{@code HttpServer.updateSSLOptions} of Vert.x would make a new TLS context at each renewal, and no server starts without a key, as
 * these do before the controller has issued one.
 *
 * <p>An alias carries the number of its key, so that a handshake which began before the exchange gets chain and key of one pair.
 */
final class ReplaceableKeyManager extends X509ExtendedKeyManager {
    private record Numbered(long number, @Nullable X509KeyManager keys) {}

    private record Pair(Numbered current, Numbered last) {}

    private static final Numbered NONE = new Numbered(0, null);

    private volatile Pair pair = new Pair(NONE, NONE);

    void replace(X509KeyManager next) {
        Numbered current = pair.current();
        pair = new Pair(new Numbered(current.number() + 1, next), current);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        Numbered current = pair.current();
        X509KeyManager keys = current.keys();
        String alias = keys == null ? null : keys.chooseServerAlias(keyType, issuers, null);
        return alias == null ? null : current.number() + "/" + alias;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        X509KeyManager keys = of(alias).keys();
        return keys == null ? null : keys.getCertificateChain(nameIn(alias));
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        X509KeyManager keys = of(alias).keys();
        return keys == null ? null : keys.getPrivateKey(nameIn(alias));
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        String alias = chooseEngineServerAlias(keyType, issuers, null);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    private Numbered of(String alias) {
        Pair now = pair;
        return alias.startsWith(now.last().number() + "/") ? now.last() : now.current();
    }

    private static String nameIn(String alias) {
        return Objects.requireNonNull(alias.substring(alias.indexOf('/') + 1));
    }
}
