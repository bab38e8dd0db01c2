/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query;

import dev.fabricoperator.operator.Role;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.server.served.ServedModels;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** A server is ready when it has read all objects once; until then its answers would be 503 at best. */
@Readiness
@ApplicationScoped
public class QueryReadiness implements HealthCheck {
    private final Settings settings;
    private final Instance<ServedModels> models;

    QueryReadiness(Settings settings, Instance<ServedModels> models) {
        this.settings = settings;
        this.models = models;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("query")
                .status(settings.role() != Role.server || models.get().isReady())
                .build();
    }
}
