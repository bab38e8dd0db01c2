/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.traffic.TrafficOfJobs;
import io.vertx.core.http.HttpMethod;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one replica tells the others: that somebody watches what a job sends. They are believed by their address: all that can come of it is that the job's
 * pods tell what they send once a second for some seconds.
 */
final class WatchNotices {
    static final String WATCHED = "/v1/watched";
    /** Of a namespace, or of a FabricJob. */
    private static final int LONGEST_NAME = 253;

    private final Replicas replicas;
    private final TrafficCopies ways;
    private final TrafficOfJobs traffic;

    WatchNotices(Replicas replicas, TrafficCopies ways, TrafficOfJobs traffic) {
        this.replicas = replicas;
        this.ways = ways;
        this.traffic = traffic;
    }

    void tell(String namespace, String job) {
        replicas.others().forEach(other -> ways.sendWatched(other, namespace, job));
    }

    void addTo(Listener listener) {
        listener.route(HttpMethod.POST, WATCHED, exchange -> take(exchange));
    }

    private void take(Exchange exchange) {
        String namespace = name(exchange, "namespace");
        String job = name(exchange, "job");
        if (!replicas.isOther(exchange.address())) {
            exchange.refuse(403, "only another replica says who is watched");
        } else if (namespace == null || job == null) {
            exchange.refuse(400, "namespace and job are names of up to " + LONGEST_NAME + " characters");
        } else {
            traffic.watchedElsewhere(namespace, job);
            exchange.send(204, Map.of(), new byte[0]);
        }
    }

    private static @Nullable String name(Exchange exchange, String parameter) {
        String text = exchange.request().getParam(parameter);
        return text == null || text.isEmpty() || text.length() > LONGEST_NAME ? null : text;
    }
}
