/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.TierStatus;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SettledSwitches;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Every {@link Integration} and every other {@link IntegrationWriter}, each with a loop of its own, while this process leads. */
@ApplicationScoped
public class Integrations {
    private final List<IntegrationWriter> writers = new ArrayList<>();
    private final GuardedLoops loops;
    private final List<GuardedLoop> started = new ArrayList<>();

    @Inject
    Integrations(
            Instance<Integration> integrations,
            Instance<IntegrationWriter> others,
            KubernetesClient client,
            Informers informers,
            MeterRegistry meters,
            GuardedLoops loops,
            Settings operator,
            FactStores stores,
            IntegrationSettings settings) {
        this.loops = loops;
        integrations.stream()
                .map(integration -> new IntegrationLoop(
                        integration,
                        client,
                        informers,
                        meters,
                        settings.interval(),
                        operator.writes().refusedInterval(),
                        new SettledSwitches(stores, operator.coalescing())))
                .forEach(writers::add);
        others.forEach(writers::add);
    }

    /** Calls {@code changed} with the names of Fabrics of which something else is to be said; set before the start. */
    public void listen(Consumer<Set<String>> changed) {
        writers.forEach(writer -> writer.conditions().listen(changed));
    }

    /** Begins to write, when there is a model; returns at once. */
    public synchronized void start() {
        if (started.isEmpty()) {
            writers.forEach(writer -> started.add(loops.start("integration-" + writer.name(), writer::step)));
        }
    }

    /** Takes over what a model wants; returns at once. */
    public void offer(ClusterModel model) {
        writers.forEach(writer -> writer.offer(model));
    }

    /**
     * What is to be said of a Fabric.
     *
     * @param present its conditions: those of an integration that has not been looked at since this process leads stay
     */
    public List<ConditionDraft> conditions(String fabric, List<Condition> present) {
        List<ConditionDraft> drafts = new ArrayList<>();
        writers.forEach(writer -> {
            SortedMap<String, ConditionDraft> conditions = writer.conditions().drafts();
            ConditionDraft draft = conditions == null
                    ? asItWas(writer.condition(), Conditions.find(present, writer.condition()))
                    : conditions.get(fabric);
            if (draft != null) {
                drafts.add(draft);
            }
        });
        return drafts;
    }

    /** The tiers of a Fabric that Nodes have labels for. @param present what it says */
    public List<TierStatus> tiers(String fabric, List<TierStatus> present) {
        List<TierStatus> tiers = present;
        for (IntegrationWriter writer : writers) {
            tiers = writer.conditions().drafts() == null ? tiers : writer.tiers(fabric, tiers);
        }
        return tiers;
    }

    private static @Nullable ConditionDraft asItWas(ConditionType type, @Nullable Condition condition) {
        for (Reason reason : Reason.values()) {
            if (condition != null && reason.name().equals(condition.reason())) {
                return new ConditionDraft(type, condition.status(), reason, condition.message());
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
        writers.forEach(IntegrationWriter::close);
    }
}
