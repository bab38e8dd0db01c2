/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.ServingIdentity;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Hands what a pod has told of its job's traffic on to the other replicas, with the pod's own token: they believe it as far as they would believe the pod. One that
 * does not answer has the next report.
 */
final class TrafficCopies implements JobEndpoint.Copies {
    private static final Logger LOG = Logger.getLogger(TrafficCopies.class);
    private static final long PATIENCE_MILLIS = 10_000;

    private final Vertx vertx;
    private final ServingIdentity identity;
    private final Supplier<List<String>> others;
    private final String service;
    private @Nullable HttpClient client;
    private String trusted = "";

    /**
     * @param others as {@code address:port}
     * @param service that the replicas' certificates are for
     */
    TrafficCopies(Vertx vertx, ServingIdentity identity, Supplier<List<String>> others, String service) {
        this.vertx = vertx;
        this.identity = identity;
        this.others = others;
        this.service = service;
    }

    @Override
    public void send(int attempt, String fabricJob, String token, byte[] report) {
        HttpClient from = client();
        if (from == null) {
            return;
        }
        for (String other : others.get()) {
            int colon = other.lastIndexOf(':');
            String host = other.substring(0, colon).replaceAll("^\\[|\\]$", "");
            int port = Integer.parseInt(other.substring(colon + 1));
            from.request(new RequestOptions()
                            .setServer(SocketAddress.inetSocketAddress(port, host))
                            .setHost(service)
                            .setPort(port)
                            .setMethod(HttpMethod.POST)
                            .setURI(JobEndpoint.TRAFFIC + "?attempt=" + attempt + "&copyOf="
                                    + URLEncoder.encode(fabricJob, StandardCharsets.UTF_8))
                            .setTimeout(PATIENCE_MILLIS)
                            .putHeader("Authorization", "Bearer " + token))
                    .compose(request -> request.send(Buffer.buffer(report)))
                    .onSuccess(response -> {
                        if (response.statusCode() >= 300) {
                            LOG.debugf("replica %s takes no copy: %d", other, response.statusCode());
                        }
                    })
                    .onFailure(problem -> LOG.debugf("replica %s gets no copy: %s", other, problem.getMessage()));
        }
    }

    private synchronized @Nullable HttpClient client() {
        String authorities = identity.authorityPem();
        if (authorities == null) {
            return null;
        }
        HttpClient known = client;
        if (known == null || !authorities.equals(trusted)) {
            if (known != null) {
                known.close();
            }
            known = vertx.createHttpClient(new HttpClientOptions()
                    .setSsl(true)
                    .setVerifyHost(true)
                    .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(authorities)))
                    .setConnectTimeout((int) PATIENCE_MILLIS)
                    .setIdleTimeout((int) TimeUnit.MILLISECONDS.toSeconds(PATIENCE_MILLIS)));
            client = known;
            trusted = authorities;
        }
        return known;
    }
}
