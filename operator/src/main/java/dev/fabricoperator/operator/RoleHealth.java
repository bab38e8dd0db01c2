/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.operator.reconcile.ModelLoop;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Alive while the model's thread is, where the role has one. A standby and a server have none and are well. */
@Liveness
@ApplicationScoped
public class RoleHealth implements HealthCheck {
    private final Settings settings;
    private final Instance<ModelLoop> loop;

    RoleHealth(Settings settings, Instance<ModelLoop> loop) {
        this.settings = settings;
        this.loop = loop;
    }

    @Override
    public HealthCheckResponse call() {
        String failure = settings.role() == Role.controller ? loop.get().failure() : null;
        return HealthCheckResponse.named(settings.role().name())
                .status(failure == null)
                .withData("state", failure == null ? "well" : failure)
                .build();
    }
}
