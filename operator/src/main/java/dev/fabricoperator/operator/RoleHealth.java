/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.operator.controller.ModelLoop;
import dev.fabricoperator.operator.server.query.QueryServer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Alive while the thread of the role's models is. A standby has none and is well. */
@Liveness
@ApplicationScoped
public class RoleHealth implements HealthCheck {
    private final Settings settings;
    private final Instance<ModelLoop> loop;
    private final Instance<QueryServer> query;

    RoleHealth(Settings settings, Instance<ModelLoop> loop, Instance<QueryServer> query) {
        this.settings = settings;
        this.loop = loop;
        this.query = query;
    }

    @Override
    public HealthCheckResponse call() {
        String failure = settings.role() == Role.controller
                ? loop.get().failure()
                : query.get().failure();
        return HealthCheckResponse.named(settings.role().name())
                .status(failure == null)
                .withData("state", failure == null ? "well" : failure)
                .build();
    }
}
