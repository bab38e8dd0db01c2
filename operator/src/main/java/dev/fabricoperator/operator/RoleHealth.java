/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.server.query.QueryServer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Alive while every background loop of the process does its work. A standby has none and is well. */
@Liveness
@ApplicationScoped
public class RoleHealth implements HealthCheck {
    private final Settings settings;
    private final GuardedLoops loops;
    private final Instance<QueryServer> query;

    RoleHealth(Settings settings, GuardedLoops loops, Instance<QueryServer> query) {
        this.settings = settings;
        this.loops = loops;
        this.query = query;
    }

    @Override
    public HealthCheckResponse call() {
        String failure = loops.failure();
        if (failure == null && settings.role() == Role.server) {
            failure = query.get().failure();
        }
        return HealthCheckResponse.named(settings.role().name())
                .status(failure == null)
                .withData("state", failure == null ? "well" : failure)
                .build();
    }
}
