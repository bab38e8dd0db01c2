/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.AccessUnknownException;
import dev.fabricoperator.operator.server.auth.Caller;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.Wish;
import io.vertx.core.http.HttpServerRequest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Lets in whom the API server knows and lets do what it allows. */
public final class Gate {
    private static final String BEARER = "Bearer ";

    private final Access access;
    private final Supplier<FrontProxy> frontProxy;
    private final Clock clock;

    public Gate(Access access, Supplier<FrontProxy> frontProxy, Clock clock) {
        this.access = access;
        this.frontProxy = frontProxy;
        this.clock = clock;
    }

    /**
     * Who asks. Headers that name a user count from the front proxy only; from anybody else they are as good as absent, and the
     * token decides.
     */
    Caller authenticate(HttpServerRequest request) throws Refusal {
        FrontProxy proxy = frontProxy.get();
        if (proxy.trusts(shownCertificates(request), Date.from(clock.instant()))) {
            Caller caller = proxy.caller(request.headers());
            if (caller != null) {
                return caller;
            }
        }
        String authorization = request.getHeader("Authorization");
        if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw Refusal.unauthorized("a bearer token is needed");
        }
        try {
            Caller caller =
                    access.authenticate(authorization.substring(BEARER.length()).strip());
            if (caller == null) {
                throw Refusal.unauthorized("the token is not valid");
            }
            return caller;
        } catch (AccessUnknownException e) {
            throw Refusal.unavailable(String.valueOf(e.getMessage()));
        }
    }

    void authorize(Caller caller, Wish wish) throws Refusal {
        try {
            if (!access.allows(caller, wish)) {
                throw Refusal.forbidden("user '" + caller.name() + "' may not " + words(wish));
            }
        } catch (AccessUnknownException e) {
            throw Refusal.unavailable(String.valueOf(e.getMessage()));
        }
    }

    private static String words(Wish wish) {
        return switch (wish) {
            case Wish.OfFabric fabric ->
                fabric.verb() + " fabrics" + (fabric.subresource().isEmpty() ? "" : "/" + fabric.subresource()) + " '"
                        + fabric.name() + "' of " + fabric.group();
            case Wish.OfPath path -> "get path '" + path.path() + "'";
        };
    }

    /** TLS has proven that the client holds the key of the first one, and nothing else. */
    private static List<X509Certificate> shownCertificates(HttpServerRequest request) {
        SSLSession session = request.sslSession();
        if (session == null) {
            return List.of();
        }
        try {
            Certificate[] shown = session.getPeerCertificates();
            return Arrays.stream(shown).map(X509Certificate.class::cast).toList();
        } catch (SSLPeerUnverifiedException e) {
            // It has shown none.
            return List.of();
        }
    }
}
