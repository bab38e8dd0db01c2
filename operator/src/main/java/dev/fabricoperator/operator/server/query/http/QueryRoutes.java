/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import dev.fabricoperator.operator.server.auth.Caller;
import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.YieldingLimit;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * HTTP in front of an {@link Endpoint}: takes GET requests, finds out who asks and whether they may, and sends what they get. Bounds what one user, or many,
 * can take ({@link QuerySettings.Limits}). Each request is served by a virtual thread, which may wait.
 */
public final class QueryRoutes {
    private static final Logger LOG = Logger.getLogger(QueryRoutes.class);

    private final AccessControl access;
    private final Endpoint endpoint;
    private final ResponseWriter responses;
    private final YieldingLimit requests;

    public QueryRoutes(QuerySettings.Limits limits, AccessControl access, Endpoint endpoint, MeterRegistry meters) {
        this.access = access;
        this.endpoint = endpoint;
        this.responses = new ResponseWriter(limits, meters);
        this.requests = new YieldingLimit(limits.requests(), limits.requestsPerUser());
    }

    public void addTo(Listener listener) {
        listener.route(exchange -> exchange.fork(() -> take(exchange)));
    }

    private void take(Exchange exchange) {
        HttpServerRequest request = exchange.request();
        String length = request.getHeader("Content-Length");
        boolean body = request.getHeader("Transfer-Encoding") != null || (length != null && !length.equals("0"));
        try {
            if (request.method() != HttpMethod.GET) {
                throw StatusException.methodNotAllowed();
            }
            if (body) {
                throw StatusException.tooLarge(null, "a query has no body");
            }
            serve(exchange);
        } catch (StatusException e) {
            responses.refuse(exchange, e, "");
        } catch (RuntimeException e) {
            LOG.errorf(e, "defect in %s", request.path());
            responses.refuse(exchange, StatusException.internal(), "");
        }
    }

    private void serve(Exchange exchange) throws StatusException {
        Caller caller = access.authenticate(exchange);
        if (!requests.tryAcquire(exchange, caller.tenant())) {
            throw StatusException.tooMany("too many requests at one time");
        }
        boolean acquired = true;
        try {
            QueryRequest query = query(exchange.request());
            QueryResponse response;
            try {
                access.authorize(caller, endpoint.attributes(query));
                // Every pod of the cluster has a token; only one that may ask something keeps its connection.
                exchange.proven();
                response = endpoint.answer(query);
            } catch (StatusException e) {
                responses.refuse(exchange, e, endpoint.subject(query));
                return;
            }
            if (response instanceof QueryResponse.Streamed stream) {
                // Streams have a limit of their own.
                requests.release(exchange, caller.tenant());
                acquired = false;
                responses.stream(exchange, stream, caller.tenant());
            } else {
                responses.send(exchange, response, caller.tenant());
            }
        } finally {
            if (acquired) {
                requests.release(exchange, caller.tenant());
            }
        }
    }

    private static QueryRequest query(HttpServerRequest request) throws StatusException {
        String path = request.path() == null ? "" : request.path();
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                segments.add(decoded(segment));
            }
        }
        return new QueryRequest(
                "/" + String.join("/", segments), segments, Parameters.of(request.uri()), request.getHeader("Accept"));
    }

    private static String decoded(String segment) throws StatusException {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw StatusException.badParam("path", "the path is not URL-encoded");
        }
    }
}
