/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.operator.cluster.GuardedLoops;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Alive while every background loop of the process does its work. A standby has none and is well. */
@Liveness
@ApplicationScoped
public class RoleHealth implements HealthCheck {
    private final Settings settings;
    private final GuardedLoops loops;

    RoleHealth(Settings settings, GuardedLoops loops) {
        this.settings = settings;
        this.loops = loops;
    }

    @Override
    public HealthCheckResponse call() {
        String failure = loops.failure();
        return HealthCheckResponse.named(settings.role().name())
                .status(failure == null)
                .withData("state", failure == null ? "well" : failure)
                .build();
    }
}
