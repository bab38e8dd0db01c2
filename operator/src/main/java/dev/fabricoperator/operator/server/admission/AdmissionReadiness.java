/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.Role;
import dev.fabricoperator.operator.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** A server is ready when it has a certificate by which the API server knows it. */
@Readiness
@ApplicationScoped
public class AdmissionReadiness implements HealthCheck {
    private final Settings settings;
    private final Instance<AdmissionServer> server;

    AdmissionReadiness(Settings settings, Instance<AdmissionServer> server) {
        this.settings = settings;
        this.server = server;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("admission")
                .status(settings.role() != Role.server || server.get().isReady())
                .build();
    }
}
