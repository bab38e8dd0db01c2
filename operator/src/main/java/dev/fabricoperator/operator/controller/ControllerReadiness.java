/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Role;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.Informers;
import io.javaoperatorsdk.operator.Operator;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * The leader is ready while it hears of every change: all its watches stand, java-operator-sdk's too. A standby watches nothing
 * and is ready.
 */
@Readiness
@ApplicationScoped
public class ControllerReadiness implements HealthCheck {
    private final Settings settings;
    private final Instance<ModelLoop> loop;
    private final Instance<Operator> operator;
    private final Informers informers;

    ControllerReadiness(Settings settings, Instance<ModelLoop> loop, Instance<Operator> operator, Informers informers) {
        this.settings = settings;
        this.loop = loop;
        this.operator = operator;
        this.informers = informers;
    }

    @Override
    public HealthCheckResponse call() {
        List<String> silent = new ArrayList<>();
        if (settings.role() == Role.controller && loop.get().isLeading()) {
            silent.addAll(informers.notWatching());
            operator.get()
                    .getRuntimeInfo()
                    .unhealthyEventSources()
                    .forEach((controller, sources) ->
                            sources.keySet().forEach(source -> silent.add(controller + "/" + source)));
        }
        return HealthCheckResponse.named("watches")
                .status(silent.isEmpty())
                .withData("silent", String.join(", ", silent))
                .build();
    }
}
