/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.traffic.CounterSources;
import dev.fabricoperator.operator.server.traffic.TrafficOfJobs;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What one replica tells the others: that somebody watches what a job sends; and asks them: what the exporters say that are theirs. They are believed by their address: all that can
 * come of the one is that the job's pods tell what they send once a second for some seconds, and of the other that somebody in the operator's pods reads counters of switches.
 */
final class ReplicaRoutes implements CounterSources.Others {
    static final String WATCHED = "/v1/watched";
    static final String PORTS = "/v1/ports";
    /** Somewhat more than what {@link TrafficCopies} waits. */
    private static final long PATIENCE_SECONDS = 12;
    /** Of an exporter. */
    private static final int LONGEST_ID = 64;

    /** Of a namespace, or of a FabricJob. */
    private static final int LONGEST_NAME = 253;

    private final Replicas replicas;
    private final TrafficCopies ways;
    private final TrafficOfJobs traffic;
    private final CounterSources exporters;

    ReplicaRoutes(Replicas replicas, TrafficCopies ways, TrafficOfJobs traffic, CounterSources exporters) {
        this.exporters = exporters;
        this.replicas = replicas;
        this.ways = ways;
        this.traffic = traffic;
    }

    void tell(String namespace, String job) {
        replicas.others().forEach(other -> ways.sendWatched(other, namespace, job));
    }

    void addTo(Listener listener) {
        listener.route(HttpMethod.POST, WATCHED, exchange -> take(exchange));
        listener.route(HttpMethod.GET, PORTS, exchange -> exchange.fork(() -> ports(exchange)));
    }

    @Override
    public @Nullable String otherFor(String exporter) {
        return replicas.otherFor(exporter);
    }

    @Override
    public byte[] ask(String other, String fabric, String id) throws IOException, InterruptedException {
        try {
            return ways.ports(other, fabric, id).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new IOException(Objects.requireNonNullElse(cause.getMessage(), cause.toString()), e);
        }
    }

    private void ports(Exchange exchange) {
        String fabric = text(exchange, "fabric", LONGEST_NAME);
        String id = text(exchange, "id", LONGEST_ID);
        if (!replicas.isOther(exchange.address())) {
            exchange.refuse(403, "only another replica asks for the ports of an exporter");
            return;
        }
        try {
            byte[] document = fabric == null || id == null ? null : exporters.document(fabric, id);
            if (document == null) {
                exchange.refuse(404, "this replica has not asked that exporter yet");
            } else {
                exchange.send(200, Map.of("Content-Type", "application/gzip"), document);
            }
        } catch (IOException e) {
            exchange.defect(e);
        }
    }

    private void take(Exchange exchange) {
        String namespace = text(exchange, "namespace", LONGEST_NAME);
        String job = text(exchange, "job", LONGEST_NAME);
        if (!replicas.isOther(exchange.address())) {
            exchange.refuse(403, "only another replica says who is watched");
        } else if (namespace == null || job == null) {
            exchange.refuse(400, "namespace and job are names of up to " + LONGEST_NAME + " characters");
        } else {
            traffic.watchedElsewhere(namespace, job);
            exchange.send(204, Map.of(), new byte[0]);
        }
    }

    private static @Nullable String text(Exchange exchange, String parameter, int longest) {
        String text = exchange.request().getParam(parameter);
        return text == null || text.isEmpty() || text.length() > longest ? null : text;
    }
}
