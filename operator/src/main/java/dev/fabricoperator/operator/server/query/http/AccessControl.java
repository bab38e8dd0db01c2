/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.AccessAttributes;
import dev.fabricoperator.operator.server.auth.AccessUnknownException;
import dev.fabricoperator.operator.server.auth.Caller;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.Exchange;
import io.vertx.core.http.HttpServerRequest;
import java.time.Clock;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Lets in whom the API server knows and lets do what it allows. */
public final class AccessControl {
    private final TokenAuthenticator tokens;
    private final Access access;
    private final Supplier<@Nullable FrontProxy> frontProxy;
    private final Clock clock;

    /** @param frontProxy gives {@code null} while it is not known who it is */
    public AccessControl(
            TokenAuthenticator tokens, Access access, Supplier<@Nullable FrontProxy> frontProxy, Clock clock) {
        this.tokens = tokens;
        this.access = access;
        this.frontProxy = frontProxy;
        this.clock = clock;
    }

    /**
     * Who asks. Headers that name a user count from the front proxy only; from anybody else they are as good as absent, and the
     * token decides.
     */
    Caller authenticate(Exchange exchange) throws StatusException {
        HttpServerRequest request = exchange.request();
        @Nullable FrontProxy proxy = frontProxy.get();
        SSLSession session = request.sslSession();
        if (proxy != null && session != null && proxy.trusts(session, clock.instant())) {
            Caller caller = proxy.caller(request.headers());
            if (caller != null) {
                return caller;
            }
        }
        String token = exchange.bearerToken();
        if (token == null && proxy == null) {
            throw StatusException.unavailable("whom the front proxy's certificate comes from is not known yet");
        }
        if (token == null) {
            throw StatusException.unauthorized("a bearer token is needed");
        }
        try {
            Caller caller = tokens.authenticate(token, exchange.address());
            if (caller == null) {
                throw StatusException.unauthorized("the token is not valid");
            }
            return caller;
        } catch (AccessUnknownException e) {
            throw StatusException.unavailable(String.valueOf(e.getMessage()));
        }
    }

    void authorize(Caller caller, AccessAttributes attributes) throws StatusException {
        try {
            if (!access.allows(caller, attributes)) {
                throw StatusException.forbidden("user '" + caller.name() + "' may not " + words(attributes));
            }
        } catch (AccessUnknownException e) {
            throw StatusException.unavailable(String.valueOf(e.getMessage()));
        }
    }

    private static String words(AccessAttributes attributes) {
        return switch (attributes) {
            case AccessAttributes.OfFabric fabric ->
                fabric.verb() + " fabrics" + (fabric.subresource().isEmpty() ? "" : "/" + fabric.subresource()) + " '"
                        + fabric.name() + "' of " + fabric.group();
            case AccessAttributes.OfJob job ->
                "get jobs/" + job.subresource() + " '" + job.name() + "' of namespace '" + job.namespace() + "' in "
                        + job.group();
            case AccessAttributes.OfPath path -> "get path '" + path.path() + "'";
        };
    }
}
