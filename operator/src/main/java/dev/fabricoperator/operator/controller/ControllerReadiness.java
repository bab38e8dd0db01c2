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
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
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
    private final BooleanSupplier leading;
    private final Supplier<Map<String, ? extends Map<String, ?>>> unhealthyEventSources;
    private final Informers informers;

    @Inject
    ControllerReadiness(Settings settings, Instance<ModelLoop> loop, Instance<Operator> operator, Informers informers) {
        this(
                () -> settings.role() == Role.controller && loop.get().isLeading(),
                () -> operator.get().getRuntimeInfo().unhealthyEventSources(),
                informers);
    }

    /** @param unhealthyEventSources of java-operator-sdk, by controller and name; asked only while this process leads */
    ControllerReadiness(
            BooleanSupplier leading,
            Supplier<Map<String, ? extends Map<String, ?>>> unhealthyEventSources,
            Informers informers) {
        this.leading = leading;
        this.unhealthyEventSources = unhealthyEventSources;
        this.informers = informers;
    }

    @Override
    public HealthCheckResponse call() {
        List<String> silent = new ArrayList<>();
        if (leading.getAsBoolean()) {
            silent.addAll(informers.notWatching());
            unhealthyEventSources
                    .get()
                    .forEach((controller, sources) ->
                            sources.keySet().forEach(source -> silent.add(controller + "/" + source)));
        }
        return HealthCheckResponse.named("watches")
                .status(silent.isEmpty())
                .withData("silent", String.join(", ", silent))
                .build();
    }
}
