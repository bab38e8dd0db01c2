/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import io.fabric8.kubernetes.client.http.HttpClient;
import java.net.URI;
import java.util.concurrent.CompletableFuture;

/**
 * Through the API server, with the person's own credentials: it checks what they may, and hands on who they are.
 *
 * @param http shows the credentials; its owner closes it
 * @param server address of the API server, which behind a gateway has a path of its own
 */
record AggregatedWay(HttpClient http, String server) implements QueryServer.Way {
    @Override
    public CompletableFuture<QueryServer.Reply> get(String path) {
        URI uri = URI.create(server.replaceFirst("/$", "") + path);
        return http.sendAsync(http.newHttpRequestBuilder().uri(uri).build(), byte[].class)
                .thenApply(response -> new QueryServer.Reply(response.code(), response.body()));
    }

    @Override
    public void close() {
        // The client is its owner's.
    }
}
