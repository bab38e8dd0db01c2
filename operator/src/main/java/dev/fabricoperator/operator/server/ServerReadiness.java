/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server;

import dev.fabricoperator.operator.Role;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.server.admission.AdmissionServer;
import dev.fabricoperator.operator.server.served.ServedModels;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * A server is ready when it has a certificate by which the API server knows it, and when it has read all objects once: until then its
 * answers about them would be 503 at best.
 */
@Readiness
@ApplicationScoped
public class ServerReadiness implements HealthCheck {
    private final Settings settings;
    private final Instance<AdmissionServer> admission;
    private final Instance<ServedModels> models;

    ServerReadiness(Settings settings, Instance<AdmissionServer> admission, Instance<ServedModels> models) {
        this.settings = settings;
        this.admission = admission;
        this.models = models;
    }

    @Override
    public HealthCheckResponse call() {
        boolean server = settings.role() == Role.server;
        boolean certificate = !server || admission.get().isReady();
        boolean objects = !server || models.get().isReady();
        return HealthCheckResponse.named("server")
                .status(certificate && objects)
                .withData("certificate", certificate)
                .withData("objects", objects)
                .build();
    }
}
