/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Every {@link Integration}, each with a loop of its own, while this process leads. */
@ApplicationScoped
public class Integrations {
    private final Map<Integration, IntegrationLoop> writers = new LinkedHashMap<>();
    private final GuardedLoops loops;
    private final List<GuardedLoop> started = new ArrayList<>();
    private volatile Consumer<Set<String>> onTold = fabrics -> {};

    @Inject
    Integrations(
            Instance<Integration> integrations,
            KubernetesClient client,
            Informers informers,
            MeterRegistry meters,
            GuardedLoops loops,
            Settings operator,
            IntegrationSettings settings) {
        this(integrations.stream().toList(), client, informers, meters, loops, operator, settings);
    }

    Integrations(
            List<Integration> integrations,
            KubernetesClient client,
            Informers informers,
            MeterRegistry meters,
            GuardedLoops loops,
            Settings operator,
            IntegrationSettings settings) {
        this.loops = loops;
        for (Integration integration : integrations) {
            writers.put(
                    integration,
                    new IntegrationLoop(
                            integration,
                            client,
                            informers,
                            meters,
                            settings.interval(),
                            operator.writes().refusedInterval(),
                            fabrics -> onTold.accept(fabrics)));
        }
    }

    /** Calls {@code told} with the names of Fabrics of which something else is to be said; set before the start. */
    public void listen(Consumer<Set<String>> told) {
        onTold = told;
    }

    /** Begins to write, when there is a model; returns at once. */
    public synchronized void start() {
        if (started.isEmpty()) {
            writers.forEach((integration, writer) ->
                    started.add(loops.start("integration-" + integration.name(), writer::step)));
        }
    }

    /** Takes over what a model wants; returns at once. */
    public void offer(ClusterModel model) {
        writers.values().forEach(writer -> writer.offer(model));
    }

    /**
     * What is to be said of a Fabric.
     *
     * @param present its conditions: those of an integration that has not been looked at since this process leads stay
     */
    public List<ConditionDraft> conditions(String fabric, List<Condition> present) {
        List<ConditionDraft> drafts = new ArrayList<>();
        writers.forEach((integration, writer) -> {
            SortedMap<String, ConditionDraft> told = writer.told();
            ConditionDraft draft = told == null
                    ? asItWas(integration, Conditions.find(present, integration.condition()))
                    : told.get(fabric);
            if (draft != null) {
                drafts.add(draft);
            }
        });
        return drafts;
    }

    private static @Nullable ConditionDraft asItWas(Integration integration, @Nullable Condition condition) {
        for (Reason reason : Reason.values()) {
            if (condition != null && reason.name().equals(condition.reason())) {
                return new ConditionDraft(integration.condition(), condition.status(), reason, condition.message());
            }
        }
        return null;
    }

    /** Ends the writing; a request on its way is given up. */
    @PreDestroy
    public synchronized void stop() {
        started.forEach(GuardedLoop::interrupt);
        started.forEach(GuardedLoop::stop);
        started.clear();
        writers.values().forEach(IntegrationLoop::close);
    }
}
