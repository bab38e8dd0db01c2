/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.TierStatus;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What brings the objects of one system to what the newest model wants. It runs in a loop of its own. */
public abstract class IntegrationWriter {
    private final String name;
    private final ConditionType condition;
    private final Duration interval;
    private final Duration gathering;
    private final IntegrationConditions conditions = new IntegrationConditions();
    private final Semaphore news = new Semaphore(0);
    private final Map<Outcome, Counter> writes = new EnumMap<>(Outcome.class);
    private volatile @Nullable ClusterModel offered;
    private volatile int objects;
    private Duration untilLook;

    /** Of one write; a tag of a metric. {@code fixed}: what is there may not be changed, which is no failure of the write. */
    protected enum Outcome {
        ok,
        deleted,
        gone,
        again,
        refused,
        fixed
    }

    /**
     * @param name lower case; what a Fabric's annotation, a metric and the log call the system
     * @param condition what a Fabric says of it
     * @param interval after which something is done without news too
     * @param gathering until what comes together with the first news is there
     */
    protected IntegrationWriter(
            String name, ConditionType condition, MeterRegistry meters, Duration interval, Duration gathering) {
        this.name = name;
        this.condition = condition;
        this.interval = interval;
        this.gathering = gathering;
        this.untilLook = interval;
        Gauge.builder("fabric_operator_integration_objects", this, own -> own.objects)
                .description("Objects by which another system is told of fabrics")
                .tag("integration", name)
                .register(meters);
        // An alert asks how much more there is than before: of what begins with the first one it would not hear.
        for (Outcome outcome : Outcome.values()) {
            writes.put(
                    outcome,
                    Counter.builder("fabric_operator_integration_writes")
                            .description("Writes of such objects")
                            .tag("integration", name)
                            .tag("outcome", outcome.name())
                            .register(meters));
        }
    }

    public final String name() {
        return name;
    }

    public final ConditionType condition() {
        return condition;
    }

    /**
     * The tiers of a Fabric that Nodes have labels for, where this is what writes them.
     *
     * @param present what the Fabric says; the same where that is not this one's to say
     */
    public List<TierStatus> tiers(String fabric, List<TierStatus> present) {
        return present;
    }

    /** What has been said of Fabrics. */
    public final IntegrationConditions conditions() {
        return conditions;
    }

    /** Takes over what a model wants; returns at once. */
    public final void offer(ClusterModel model) {
        offered = model;
        wake();
    }

    /** Lets the next step begin at once. */
    protected final void wake() {
        news.release();
    }

    protected final void count(Outcome outcome) {
        Objects.requireNonNull(writes.get(outcome)).increment();
    }

    /** Lets the next step begin no later than that, without news too. */
    private void lookAgainAfter(Duration wait) {
        if (wait.compareTo(untilLook) < 0) {
            untilLook = wait;
        }
    }

    /** Whether something is to be left as it is for now. It is looked at again when that is over. */
    protected final boolean isLeft(Duration left) {
        if (left.isPositive()) {
            lookAgainAfter(left);
        }
        return left.isPositive();
    }

    /**
     * What is said of a Fabric, with those that somebody else changes again and again.
     *
     * @param what of each of them
     * @param kind one of them, whose plural has an s
     */
    protected static ConditionDraft contested(ConditionDraft draft, String what, String kind, SortedSet<String> names) {
        return names.isEmpty()
                ? draft
                : new ConditionDraft(
                        draft.type(),
                        draft.status(),
                        draft.reason(),
                        draft.message() + "; somebody else writes " + what
                                + Messages.count(names.size(), kind, kind + "s") + " ("
                                + Messages.some(List.copyOf(names)) + ") again and again");
    }

    /**
     * What is said of a Fabric where writes fail step after step for a reason that passes: whether it is told is not known.
     *
     * @param what of how many
     * @param first one of them, and what the API server said
     */
    protected final ConditionDraft failing(String what, String first) {
        return new ConditionDraft(
                condition,
                ConditionStatus.Unknown,
                Reason.WritesFailing,
                "the API server cannot write " + what
                        + " at present, and is asked again; where this lasts, look at the API server and the webhooks that it"
                        + " asks; the first object is " + first);
    }

    /** @param count objects that are as they should be */
    protected final void setObjects(int count) {
        objects = count;
    }

    /** Waits for news, or until it is time to look without, and brings everything to what the newest model wants. */
    public final void step() throws InterruptedException {
        Duration wait = untilLook;
        untilLook = interval;
        if (news.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
            Thread.sleep(gathering);
            news.drainPermits();
        }
        ClusterModel model = offered;
        if (model == null) {
            return;
        }
        try {
            bring(model);
        } catch (RuntimeException e) {
            // The guard waits, and then nothing else need happen first.
            wake();
            throw e;
        }
    }

    protected abstract void bring(ClusterModel model) throws InterruptedException;

    /** Ends what listens. */
    public abstract void close();
}
