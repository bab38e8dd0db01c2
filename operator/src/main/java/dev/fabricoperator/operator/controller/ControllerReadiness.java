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
 * The leader is ready while it hears of every change: all its watches stand, java-operator-sdk's too. A standby is ready when it takes part in the election, for which it has read the
 * Fabrics, and watches nothing else.
 */
@Readiness
@ApplicationScoped
public class ControllerReadiness implements HealthCheck {
    private volatile boolean waiting;
    private final BooleanSupplier leading;
    private final Supplier<Map<String, ? extends Map<String, ?>>> unhealthyEventSources;
    private final Informers informers;

    @Inject
    ControllerReadiness(Settings settings, Instance<ModelLoop> loop, Instance<Operator> operator, Informers informers) {
        this(
                settings.role() == Role.controller,
                () -> settings.role() == Role.controller && loop.get().isLeading(),
                () -> operator.get().getRuntimeInfo().unhealthyEventSources(),
                informers);
    }

    /**
     * @param waiting for the API server, which does not answer yet, lacks the custom resources or refuses, until {@link #started}
     * @param unhealthyEventSources of java-operator-sdk, by controller and name; asked only while this process leads
     */
    ControllerReadiness(
            boolean waiting,
            BooleanSupplier leading,
            Supplier<Map<String, ? extends Map<String, ?>>> unhealthyEventSources,
            Informers informers) {
        this.waiting = waiting;
        this.leading = leading;
        this.unhealthyEventSources = unhealthyEventSources;
        this.informers = informers;
    }

    /** Told by who started java-operator-sdk, which cannot be asked while it starts: it answers when it has. */
    public void started() {
        waiting = false;
    }

    @Override
    public HealthCheckResponse call() {
        List<String> silent = new ArrayList<>();
        if (waiting) {
            silent.add("API server");
        } else if (leading.getAsBoolean()) {
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
