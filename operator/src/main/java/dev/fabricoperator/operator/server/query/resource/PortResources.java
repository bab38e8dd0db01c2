/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import dev.fabricoperator.operator.server.traffic.PortTraffic;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** {@code ports} and {@code hotspots}: how much the ports of switches send. It changes without the generation, so that it has no ETag. */
final class PortResources {
    private final PortTraffic traffic;
    private final ServedFabrics fabrics;

    PortResources(PortTraffic traffic, ServedFabrics fabrics) {
        this.traffic = traffic;
        this.fabrics = fabrics;
    }

    List<Resource> resources() {
        return List.of(
                Resource.of(
                        "ports",
                        "How much each port of a switch sends, by what a sweep of InfiniBand counts.",
                        List.of("ports"),
                        Map.of(),
                        request -> answer(request, PortTraffic.Said::ports)),
                Resource.of(
                        "hotspots",
                        "Ports that hold others up, and the jobs whose packets pass them.",
                        List.of("hotspots"),
                        Map.of(),
                        request -> answer(request, PortTraffic.Said::hotSpots)));
    }

    private QueryResponse answer(ResourceRequest request, Function<PortTraffic.Said, PortTrafficAnswer> question)
            throws StatusException {
        ServedFabric served = request.served();
        if (!PortTraffic.isLookedAt(served)) {
            throw StatusException.notFound(
                    "name",
                    "nobody looks at what ports of fabric " + served.name()
                            + " send: a sweeper does where it serves forwarding tables, and SWEEPER_DATA_COUNTERS is not empty");
        }
        try {
            PortTraffic.Said said = traffic.fetch(served, fabrics.all());
            // However short it is, to make it takes as long as a large answer does: it is made when there is room for
            // one.
            return QueryResponse.Written.json(
                    QueryResponse.Written.LARGE_BYTES + 1,
                    json -> json.writeObject(question.apply(said)),
                    null,
                    request.headers());
        } catch (IOException e) {
            throw StatusException.unavailable(
                    "what ports of fabric " + served.name() + " send is not known: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StatusException.unavailable("this replica ends");
        }
    }
}
