/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/** A request and its response, from {@code startNanos} of {@link System#nanoTime} on. */
record Exchange(HttpServerRequest request, long startNanos) {
    Exchange(HttpServerRequest request) {
        this(request, System.nanoTime());
    }

    HttpServerResponse response() {
        return request.response();
    }
}
